/* strandline
table: ads.attribution_hourly
window: hour
time: hour
owner: ads-reporting
tier: 1
inputs:
  ads.impressions: {lookback: 24h}
checks:
  - unique: [hour, campaign_id, conversion_type]
  - expression: conversions > 0
  - expression: attributed_cost >= 0
    severity: warn
*/
-- Conversions of this hour, credited to the campaign whose impression they name: shown in this hour
-- or in the 24 before. Conversions without such an impression are credited to nobody.
select $window_start as hour,
       i.campaign_id,
       c.conversion_type,
       count(*) as conversions,
       sum(c.value_micros) as value_micros,
       sum(i.cost_micros) as attributed_cost
from ads.conversions c
join ads.impressions i on i.impression_id = c.impression_id
group by i.campaign_id, c.conversion_type
