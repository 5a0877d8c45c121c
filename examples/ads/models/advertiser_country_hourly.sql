/* strandline
table: ads.advertiser_country_hourly
window: hour
time: hour
owner: ads-reporting
checks:
  - unique: [hour, advertiser_id, country]
  - reconcile: {with: ads.impressions, theirs: count(*), ours: sum(impressions), tolerance: 0}
*/
select $window_start as hour,
       advertiser_id,
       country,
       count(*) as impressions,
       count_if(viewable) as viewable,
       sum(cost_micros) as cost_micros,
       avg(bid_price) as avg_bid
from ads.impressions
group by advertiser_id, country
