/* strandline
table: ads.creative_hourly
window: hour
time: hour
owner: ads-reporting
checks:
  - unique: [hour, creative_id]
  - reconcile: {with: ads.impressions, theirs: count(*), ours: sum(impressions), tolerance: 0}
*/
select $window_start as hour,
       creative_id,
       count(*) as impressions,
       count_if(viewable) as viewable,
       sum(cost_micros) as cost_micros,
       avg(bid_price) as avg_bid
from ads.impressions
group by creative_id
