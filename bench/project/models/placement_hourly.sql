/* strandline
table: ads.placement_hourly
window: hour
time: hour
*/
select $window_start as hour, placement_id,
       count(*) as impressions,
       count_if(viewable) as viewable,
       sum(cost_micros) as cost_micros,
       avg(bid_price) as avg_bid
from ads.impressions
group by placement_id
