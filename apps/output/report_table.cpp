// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <carroll/version.hpp>

#include "files/file_error.hpp"
#include "output/report.hpp"
#include "output/table.hpp"
#include "ranks/tell.hpp"
#include "svd/energy.hpp"

namespace carroll::tool {

namespace {

constexpr std::int64_t longest_list = 24;  // with the head it fits on a terminal of 40 lines
constexpr std::int64_t values_at_end = 4;

std::string status_line(SvdReport const& report) {
  std::string const& status = report.result.status;
  if (status == "not_converged") {
    return status + ": the limit on " + (report.result.truncation ? "power steps" : "sweeps") +
           " came first";
  }
  if (status == "non_finite") return status + ": the matrix holds NaN or infinity";
  if (status == "overflow") return status + ": a singular value is beyond the precision";
  return status;
}

std::string value_line(SvdReport const& report, std::vector<double> const& energy, std::int64_t k) {
  auto const at = static_cast<std::size_t>(k);
  double const sigma = report.singular_values[at];
  int const digits = report.precision == Precision::single_precision ? 8 : 16;
  std::string line = fmt::format("{:>6}  {:<24}", k + 1, fmt::format("{:.{}e}", sigma, digits));
  if (!energy.empty() && energy.back() > 0) {
    line += fmt::format("{:>10.3e}  {:>10.6f} %", sigma / report.singular_values[0],
                        100 * energy[at] / energy.back());
  }
  while (line.back() == ' ') line.pop_back();
  return line + "\n";
}

std::string value_lines(SvdReport const& report) {
  // Of the energy of all values nothing is known when some have not been computed.
  auto const energy =
      report.result.truncation ? std::vector<double>() : cumulative_energy(report.singular_values);
  bool const shares = !energy.empty() && energy.back() > 0;
  std::string text = shares ? fmt::format("\n{:>6}  {:<24}{:>10}  {:>12}\n", "k", "singular value",
                                          "of first", "energy to k")
                            : fmt::format("\n{:>6}  singular value\n", "k");
  bool const all = report.kept <= longest_list;
  std::int64_t const head = all ? report.kept : longest_list - values_at_end - 1;
  for (std::int64_t k = 0; k < head; ++k) text += value_line(report, energy, k);
  if (!all) {
    std::int64_t const left_out = report.kept - head - values_at_end;
    text += fmt::format("{:>6}  {} more; --json or -o PREFIX give all\n", "...", left_out);
    for (std::int64_t k = report.kept - values_at_end; k < report.kept; ++k) {
      text += value_line(report, energy, k);
    }
  }
  return text;
}

}  // namespace

std::string table(SvdReport const& report) {
  DecompositionSummary const& found = report.result;
  std::string text;
  add_line(text, "matrix", one_line(report.input));
  add_line(text, "size",
           fmt::format("{} x {}, {}{} precision", report.rows, report.cols,
                       report.is_complex ? "complex, " : "", name_of(report.precision)));
  add_line(text, "backend", found.backend);
  add_sharing(text, report.sharing);
  add_line(text, "method", report.method);
  add_line(text, "status", status_line(report));
  if (!found.truncation) {
    add_line(text, "sweeps", std::to_string(found.sweeps));
    add_line(text, "largest cosine", fmt::format("{:.2e}", found.max_cosine));
  } else {
    int const steps = found.truncation->power_steps;
    add_line(text, "power steps",
             steps > 0 ? std::to_string(steps) : "none: all triplets computed");
    add_line(text, "triplet residual", fmt::format("{:.2e}", found.truncation->residual));
    add_line(text, "error bound",
             fmt::format("{:.2e} of the first value, spectral norm", found.truncation->error));
  }
  if (found.relative_residual) {
    auto const total = std::min(report.rows, report.cols);
    add_line(
        text, "relative residual",
        fmt::format("{:.2e}{}", *found.relative_residual,
                    report.kept < total ? fmt::format(" with {} of {} triplets", report.kept, total)
                                        : std::string()));
  }
  if (!found.truncation) add_line(text, "rank", std::to_string(found.rank));
  if (report.energy) {
    auto const k = energy_rank(report.singular_values, *report.energy);
    add_line(text, "energy rank",
             k ? fmt::format("{} (for {:g} of the energy)", *k, *report.energy) : "unknown");
  }
  add_line(text, "seconds", fmt::format("{:.4g}", found.seconds));
  if (report.kept > 0) text += value_lines(report);
  if (!report.files.empty()) text += "\n";
  for (auto const& file : report.files) add_line(text, "written", one_line(file));
  return text;
}

std::string table(DetReport const& report) {
  Determination const& found = report.result;
  std::string status = found.status;
  bool const closed_form = report.method == "blocked" && report.n <= 3;
  if (status == "singular")
    status += found.exact || found.interval || closed_form ? ": the determinant is exactly 0"
                                                           : ": a pivot is exactly 0";
  if (status == "non_finite") status += ": the matrix holds NaN or infinity";
  if (status == "breakdown") status += ": the method divides by zero here, another one would not";
  if (status == "not_certified") status += ": what can be proved leaves the sign open";
  std::string text;
  add_line(text, "matrix", one_line(report.input));
  std::string const numbers =
      found.exact ? "integers" : name_of(report.precision) + std::string(" precision");
  add_line(text, "size", fmt::format("{} x {}, {}", report.n, report.n, numbers));
  add_line(text, "backend", found.backend);
  add_sharing(text, report.sharing);
  add_line(text, "method", report.method);
  add_line(text, "status", status);
  add_line(text, "determinant", found.decimal);
  if (found.exact) add_line(text, "exact", *found.exact);
  if (found.interval) {
    add_line(text, "at least", found.interval->lower.decimal);
    add_line(text, "at most", found.interval->upper.decimal);
  }
  if (found.status == "success") {
    add_line(text, "binary", fmt::format("{} * 2^{}", found.mantissa, found.exponent));
    add_line(text, "log of modulus", fmt::format("{:.16g}", found.log_abs));
  }
  if (found.growth > 0) add_line(text, "growth", fmt::format("{:.4g}", found.growth));
  add_line(text, "seconds", fmt::format("{:.4g}", found.seconds));
  return text;
}

std::string table(PinvReport const& report) {
  ArrowSummary const& found = report.result;
  std::string status = found.status;
  if (status == "non_finite") status += ": an array holds NaN or infinity";
  if (status == "overflow") status += ": a result is beyond the precision";
  std::int64_t const columns = report.motions + report.depths;
  std::string text;
  add_line(text, "arrays", one_line(report.input));
  add_line(text, "size",
           fmt::format("{} rows, {} motion and {} depth columns, {} precision", report.rows,
                       report.motions, report.depths, name_of(report.precision)));
  add_line(text, "backend", found.backend);
  add_sharing(text, report.sharing);
  add_line(text, "method", report.method + " by " + found.path);
  add_line(text, "status", status);
  add_line(text, "rank", fmt::format("{} of {}, cutoff {:.2e}", found.rank, columns, found.cutoff));
  std::string step;
  for (std::size_t j = 0; j < found.motion_step.size() && j < 6; ++j)
    step += fmt::format("{}{:.9g}", j > 0 ? " " : "", found.motion_step[j]);
  add_line(text, "motion step", step + (found.motion_step.size() > 6 ? " ..." : ""));
  add_line(text, "relative gradient", fmt::format("{:.2e}", found.relative_gradient));
  add_line(text, "seconds", fmt::format("{:.4g}", found.seconds));
  for (auto const& file : report.files) add_line(text, "written", one_line(file));
  return text;
}

std::string table(RuntimeInfo const& info) {
  std::string text;
  add_line(text, "carroll", CARROLL_VERSION_STRING);
  add_line(text, "Kokkos", info.kokkos_version);
  std::string backends;
  for (auto const& backend : info.backends) backends += (backends.empty() ? "" : ", ") + backend;
  add_line(text, "backends", backends);
  add_line(text, "default", info.default_execution_space);
  add_line(text, "device", one_line(info.device));
  add_line(text, "threads", std::to_string(info.threads));
  add_line(text, "KokkosKernels", info.kokkos_kernels ? "yes" : "no");
  add_line(text, "MPI", info.mpi.empty() ? "none" : one_line(info.mpi));
  add_line(text, "NCCL", info.nccl.empty() ? "none" : info.nccl);
  add_line(text, "ranks", std::to_string(info.ranks));
  if (info.ranks == 1) return text;
  for (std::size_t rank = 0; rank < info.devices.size(); ++rank)
    add_line(text, "rank " + std::to_string(rank), one_line(info.devices[rank]));
  return text;
}

}  // namespace carroll::tool
