#include "strandline/project/internal/init_files.h"

namespace strandline::project::internal {
namespace {

constexpr std::string_view kReadme = R"text(# A first project

    strandline validate      # every file checked
    strandline plan          # what would run, and why
    strandline run           # does exactly that
    strandline query "select * from shop.orders_hourly order by hour, country"
    strandline run           # again: nothing to do

`landing/orders/` holds two hours of orders as they came in: one came twice, one came an hour late, and one
line is not JSON. See where they went:

    strandline status
    strandline query "select reason, raw from shop.orders__quarantine"

Then let another hour land: write `landing/orders/2026-11-30-07/part-00000.jsonl`, put an empty `_SUCCESS`
beside it, and run again.
)text";

constexpr std::string_view kConfig = R"text(# Relative paths are relative to this file.
version: 1
project: shop
catalogs:
  shop: {type: sql, uri: "sqlite:///catalog.db", warehouse: lake}
default_catalog: shop
engine: {type: duckdb, threads: 2, memory_limit: 1GiB}
defaults: {owner: shop-data, tier: 2, severity: block}
)text";

constexpr std::string_view kIgnore = R"text(catalog.db*
lake/
.strandline/
)text";

constexpr std::string_view kOrders =
    R"text(# Orders as they land, an hour a folder. `_SUCCESS` says that an hour is there.
source: orders
table: shop.orders
path: landing/orders/{unit:%Y-%m-%d-%H}/*.jsonl
format: jsonl
unit: hour
start: 2026-11-30T05Z
complete: {marker: _SUCCESS}
time: ordered_at
partition: [hour(ordered_at)]
key: [order_id]
deduplicate: {keep: first, ask: partition}
lateness: 72h
columns:
  order_id:   {type: string, required: true}
  ordered_at: {type: timestamptz, required: true}
  country:    {type: string}
  amount:     {type: "decimal(12,2)"}
checks:
  - unique: [order_id]
  - expression: amount >= 0
)text";

constexpr std::string_view kOrdersHourly = R"text(/* strandline
table: shop.orders_hourly
window: hour
time: hour
checks:
  - unique: [hour, country]
  - reconcile: {with: shop.orders, theirs: sum(amount), ours: sum(amount), tolerance: 0}
*/
select $window_start as hour,
       country,
       count(*) as orders,
       sum(amount) as amount
from shop.orders
group by country
)text";

constexpr std::string_view kFirstHour =
    R"text({"order_id":"o-1","ordered_at":"2026-11-30T05:03:11Z","country":"NL","amount":"19.95"}
{"order_id":"o-2","ordered_at":"2026-11-30T05:17:42Z","country":"DE","amount":"120.00"}
{"order_id":"o-1","ordered_at":"2026-11-30T05:03:11Z","country":"NL","amount":"19.95"}
{"order_id":"o-3","ordered_at":"2026-11-30T05:59:59.999Z","country":"NL","amount":"7.50"}
)text";

constexpr std::string_view kSecondHour =
    R"text({"order_id":"o-4","ordered_at":"2026-11-30T06:00:00Z","country":"FR","amount":"64.10"}
{"order_id":"o-5","ordered_at":"2026-11-30T05:48:30Z","country":"DE","amount":"15.25"}
{"order_id":"o-6","ordered_at":"2026-11-30T06:2
{"order_id":"o-7","ordered_at":"2026-11-30T06:41:05Z","country":"NL","amount":"33.00"}
)text";

constexpr InitFile kFiles[] = {
    {"README.md", kReadme},
    {".gitignore", kIgnore},
    {"sources/orders.yml", kOrders},
    {"models/orders_hourly.sql", kOrdersHourly},
    {"landing/orders/2026-11-30-05/part-00000.jsonl", kFirstHour},
    {"landing/orders/2026-11-30-05/_SUCCESS", ""},
    {"landing/orders/2026-11-30-06/part-00000.jsonl", kSecondHour},
    {"landing/orders/2026-11-30-06/_SUCCESS", ""},
    {"strandline.yml", kConfig},  // Last: with it the folder is a project.
};

}  // namespace

std::span<const InitFile> InitFiles() { return kFiles; }

}  // namespace strandline::project::internal
