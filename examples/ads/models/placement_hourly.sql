/* strandline
table: ads.placement_hourly
window: hour
time: hour
owner: publisher-desk
checks:
  - unique: [hour, placement_id]
  - reconcile: {with: ads.impressions, theirs: count(*), ours: sum(impressions), tolerance: 0}
*/
select $window_start as hour,
       placement_id,
       count(*) as impressions,
       count_if(viewable) as viewable,
       sum(cost_micros) as cost_micros,
       avg(bid_price) as avg_bid
from ads.impressions
group by placement_id
