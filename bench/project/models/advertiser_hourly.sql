/* strandline
table: ads.advertiser_hourly
window: hour
time: hour
*/
select $window_start as hour, advertiser_id,
       count(*) as impressions,
       count_if(viewable) as viewable,
       sum(cost_micros) as cost_micros,
       avg(bid_price) as avg_bid
from ads.impressions
group by advertiser_id
