/* strandline
table: ads.advertiser_hourly
window: hour
time: hour
owner: ads-billing
tier: 1
checks:
  - unique: [hour, advertiser_id]
  - reconcile: {with: ads.impressions, theirs: count(*), ours: sum(impressions), tolerance: 0}
  - reconcile: {with: ads.impressions, theirs: sum(cost_micros), ours: sum(cost_micros), tolerance: 0}
    id: reconcile:spend
    owner: ads-billing
*/
select $window_start as hour,
       advertiser_id,
       count(*) as impressions,
       count_if(viewable) as viewable,
       sum(cost_micros) as cost_micros,
       avg(bid_price) as avg_bid
from ads.impressions
group by advertiser_id
