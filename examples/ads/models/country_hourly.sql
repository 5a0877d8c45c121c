/* strandline
table: ads.country_hourly
window: hour
time: hour
checks:
  - unique: [hour, country]
  - reconcile: {with: ads.impressions, theirs: count(*), ours: sum(impressions), tolerance: 0}
  - expression: length(country) = 2
    severity: warn
*/
select $window_start as hour,
       country,
       count(*) as impressions,
       count_if(viewable) as viewable,
       sum(cost_micros) as cost_micros,
       avg(bid_price) as avg_bid
from ads.impressions
group by country
