/* strandline
table: ads.attribution_hourly
window: hour
time: hour
inputs:
  ads.impressions: {lookback: 24h}
*/
select $window_start as hour, i.campaign_id, c.conversion_type,
       count(*) as conversions,
       sum(c.value_micros) as value_micros,
       sum(i.cost_micros) as attributed_cost
from ads.impressions i
join ads.conversions c on i.impression_id = c.impression_id
group by i.campaign_id, c.conversion_type
