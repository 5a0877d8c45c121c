"""A small project for stories about time: orders land as JSON lines, two models count them."""
from lake import Lake

ORDERS = """source: orders
table: shop.orders
path: ../landing/orders/{unit:%Y-%m-%d-%H}/*.jsonl
format: jsonl
unit: hour
start: START
complete: {marker: _SUCCESS}
time: at
partition: [hour(at)]
key: [id]
lateness: 72h
columns:
  id:     {type: string, required: true}
  at:     {type: timestamptz, required: true}
  amount: {type: long}
  note:   {type: string}
checks:
  - not_null: [id]
  - unique: [id]
"""

HOURLY = """/* strandline
table: shop.orders_hourly
window: hour
time: hour
*/
select $window_start as hour, count(*) as orders, sum(amount) as amount
from shop.orders
"""

ROLLING = """/* strandline
table: shop.orders_rolling
window: hour
time: hour
inputs:
  shop.orders: {lookback: 3h}
*/
select $window_start as hour, count(*) as orders
from shop.orders
"""


def shop(folder, start="2026-11-30T00Z", **changes):
    """The project; `changes` replaces files: `orders`, `hourly`, `rolling` (None leaves one out)."""
    files = {"sources/orders.yml": changes.get("orders", ORDERS).replace("START", start),
             "models/orders_hourly.sql": changes.get("hourly", HOURLY),
             "models/orders_rolling.sql": changes.get("rolling", ROLLING)}
    return Lake.of_files(folder, {name: text for name, text in files.items() if text is not None})


def order(number, at, amount=1, **more):
    return {"id": f"o{number}", "at": at, "amount": amount, **more}


def land_hours(lake, hours, per_hour=3, day="2026-11-30"):
    """`per_hour` orders in each hour."""
    for hour in hours:
        rows = [order(f"{day}-{hour}-{i}", f"{day}T{hour:02}:{i:02}:00Z") for i in range(per_hour)]
        lake.land("orders", f"{day}-{hour:02}", "part-0.jsonl", rows)


def windows(report, table):
    return sorted(unit["window"] for unit in report["units"] if unit["table"] == table)


def hour_text(hour, day="2026-11-30"):
    return f"{day}T{hour:02}:00Z"
