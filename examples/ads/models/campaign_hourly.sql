/* strandline
table: ads.campaign_hourly
window: hour
time: hour
owner: ads-reporting
tier: 1
checks:
  - unique: [hour, campaign_id]
  - reconcile: {with: ads.impressions, theirs: count(*), ours: sum(impressions), tolerance: 0}
  - row_count: {min: 1}
    severity: warn
*/
select $window_start as hour,
       campaign_id,
       count(*) as impressions,
       count_if(viewable) as viewable,
       sum(cost_micros) as cost_micros,
       avg(bid_price) as avg_bid
from ads.impressions
group by campaign_id
