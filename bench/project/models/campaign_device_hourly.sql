/* strandline
table: ads.campaign_device_hourly
window: hour
time: hour
*/
select $window_start as hour, campaign_id, device_type,
       count(*) as impressions,
       count_if(viewable) as viewable,
       sum(cost_micros) as cost_micros,
       avg(bid_price) as avg_bid
from ads.impressions
group by campaign_id, device_type
