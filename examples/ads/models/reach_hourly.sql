/* strandline
table: ads.reach_hourly
window: hour
time: hour
owner: ads-reporting
tier: 1
checks:
  - unique: [hour, campaign_id]
  - expression: reach <= impressions
  - reconcile: {with: ads.impressions, theirs: count(*), ours: sum(impressions), tolerance: 0}
*/
-- How many people saw each campaign: exact, not an estimate.
select $window_start as hour,
       campaign_id,
       count(*) as impressions,
       count(distinct user_id) as reach
from ads.impressions
group by campaign_id
