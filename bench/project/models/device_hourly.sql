/* strandline
table: ads.device_hourly
window: hour
time: hour
*/
select $window_start as hour, device_type,
       count(*) as impressions,
       count_if(viewable) as viewable,
       sum(cost_micros) as cost_micros,
       avg(bid_price) as avg_bid
from ads.impressions
group by device_type
