// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "determinant/determine.hpp"
#include "output/json.hpp"

namespace carroll::tool {

/// The determinant itself in all its forms.
inline void add_number(Json& object, Determination const& found, Precision precision) {
  bool const known = !std::isnan(found.sign);
  object["sign"] = known ? Json(static_cast<int>(found.sign)) : Json();
  object["mantissa"] = number(found.mantissa, precision);
  object["exponent"] = known ? Json(found.exponent) : Json();
  object["log_abs"] = found.log_abs;
  // A number that a double can only hold as 0 or infinity is not there.
  bool const lost = found.value == 0 && found.sign != 0;
  object["value"] = lost ? Json() : Json(found.value);
  object["decimal"] = known ? Json(found.decimal) : Json();
}

}  // namespace carroll::tool
