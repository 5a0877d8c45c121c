/* strandline
table: ads.device_hourly
window: hour
time: hour
checks:
  - unique: [hour, device_type]
  - reconcile: {with: ads.impressions, theirs: count(*), ours: sum(impressions), tolerance: 0}
  - row_count: {max: 20}
    severity: warn
*/
select $window_start as hour,
       device_type,
       count(*) as impressions,
       count_if(viewable) as viewable,
       sum(cost_micros) as cost_micros,
       avg(bid_price) as avg_bid
from ads.impressions
group by device_type
