// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/version.hpp>
#include <cmath>

#include "determinant/number.hpp"
#include "output/json.hpp"
#include "output/report.hpp"
#include "ranks/tell.hpp"
#include "svd/energy.hpp"

namespace carroll::tool {

std::string json(SvdReport const& report) {
  DecompositionSummary const& found = report.result;
  Json object{{"status", found.status},
              {"rows", report.rows},
              {"cols", report.cols},
              {"precision", name_of(report.precision)},
              {"backend", found.backend}};
  if (report.is_complex) object["complex"] = true;
  object["singular_values"] = numbers(report.singular_values, 0, report.kept, report.precision);
  if (!found.truncation) {
    object["sweeps"] = found.sweeps;
    object["max_cosine"] = number(found.max_cosine, report.precision);
  } else {
    object["power_steps"] = found.truncation->power_steps;
    object["triplet_residual"] = number(found.truncation->residual, report.precision);
    object["error_bound"] = number(found.truncation->error, report.precision);
  }
  object["relative_residual"] = or_null(found.relative_residual);
  if (!found.truncation) object["rank"] = found.rank;
  if (report.energy) {
    object["energy_rank"] = or_null(energy_rank(report.singular_values, *report.energy));
  }
  object["seconds"] = found.seconds;
  add_sharing(object, report.sharing);
  return line(object);
}

namespace {

/// With every digit of the mantissa, so that what is read is what was proved.
Json end_of_interval(ScaledText const& x) {
  bool const known = !std::isnan(x.mantissa);
  return {{"mantissa", x.mantissa},
          {"exponent", known ? Json(x.exponent) : Json()},
          {"decimal", known ? Json(x.decimal) : Json()}};
}

}  // namespace

std::string json(DetReport const& report) {
  Determination const& found = report.result;
  Json object{{"status", found.status},
              {"n", report.n},
              {"precision", found.exact ? Json() : Json(name_of(report.precision))},
              {"backend", found.backend}};
  add_number(object, found, report.precision);
  object["interval"] = Json();
  if (found.interval) {
    object["interval"] = Json::array(
        {end_of_interval(found.interval->lower), end_of_interval(found.interval->upper)});
  }
  object["exact"] = or_null(found.exact);
  object["growth"] =
      found.interval || found.exact ? Json() : number(found.growth, report.precision);
  object["seconds"] = found.seconds;
  add_sharing(object, report.sharing);
  return line(object);
}

std::string json(PinvReport const& report) {
  ArrowSummary const& found = report.result;
  // A vector for one right-hand side, rows of a matrix otherwise.
  auto const rows_of = [&](std::vector<double> const& values, std::int64_t cols, bool flat) {
    Json list = Json::array();
    std::int64_t const rows = std::ssize(values) / cols;
    for (std::int64_t i = 0; i < rows; ++i) {
      Json row = Json::array();
      for (std::int64_t j = 0; j < cols; ++j) {
        row.push_back(number(values[static_cast<std::size_t>(j * rows + i)], report.precision));
      }
      list.push_back(flat ? row[0] : row);
    }
    return list;
  };
  Json object{{"status", found.status},
              {"rows", report.rows},
              {"motions", report.motions},
              {"depths", report.depths},
              {"precision", name_of(report.precision)},
              {"backend", found.backend},
              {"method", report.method},
              {"path", found.path},
              {"rank", found.rank},
              {"cutoff", found.cutoff},
              {"motion_step", rows_of(found.motion_step, found.right_hand_sides, found.is_vector)},
              {"relative_gradient", found.relative_gradient},
              {"seconds", found.seconds}};
  if (!found.covariance.empty())
    object["covariance"] = rows_of(found.covariance, report.motions, false);
  add_sharing(object, report.sharing);
  return line(object);
}

std::string json(RuntimeInfo const& info) {
  return line({{"version", CARROLL_VERSION_STRING},
               {"kokkos_version", info.kokkos_version},
               {"backends", info.backends},
               {"default_execution_space", info.default_execution_space},
               {"device", info.device},
               {"threads", info.threads},
               {"kokkos_kernels", info.kokkos_kernels},
               {"mpi", info.mpi.empty() ? Json() : Json(info.mpi)},
               {"nccl", info.nccl.empty() ? Json() : Json(info.nccl)},
               {"ranks", info.ranks},
               {"devices", info.devices}});
}

}  // namespace carroll::tool
