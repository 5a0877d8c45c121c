/* strandline
table: ads.browser_hourly
window: hour
time: hour
checks:
  - unique: [hour, browser]
  - reconcile: {with: ads.impressions, theirs: count(*), ours: sum(impressions), tolerance: 0}
  - row_count: {max: 50}
    severity: info
*/
select $window_start as hour,
       browser,
       count(*) as impressions,
       count_if(viewable) as viewable,
       sum(cost_micros) as cost_micros,
       avg(bid_price) as avg_bid
from ads.impressions
group by browser
