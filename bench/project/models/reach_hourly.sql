/* strandline
table: ads.reach_hourly
window: hour
time: hour
*/
select $window_start as hour, campaign_id, count(*) as impressions, count(distinct user_id) as reach
from ads.impressions
group by campaign_id
