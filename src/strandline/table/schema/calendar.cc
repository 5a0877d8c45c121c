#include "strandline/table/schema/calendar.h"

namespace strandline::table {

// Counts in eras of 400 years that begin on 1 March, so that the leap day is a year's last day.
// https://howardhinnant.github.io/date_algorithms.html#civil_from_days
CivilDate CivilFromDays(std::int64_t days_since_epoch) {
  constexpr std::int64_t kDaysPerEra = 146'097;
  constexpr std::int64_t kDaysFromMarchOfYearZero = 719'468;
  const std::int64_t days = days_since_epoch + kDaysFromMarchOfYearZero;
  const std::int64_t era = FloorDivide(days, kDaysPerEra);
  const std::int64_t day_of_era = FloorRemainder(days, kDaysPerEra);
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const std::int64_t day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
  const std::int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  const std::int64_t year = era * 400 + year_of_era + (month <= 2 ? 1 : 0);
  return {.year = year,
          .month = static_cast<std::int32_t>(month),
          .day = static_cast<std::int32_t>(day)};
}

}  // namespace strandline::table
