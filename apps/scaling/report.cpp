// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

#include "files/file_error.hpp"
#include "output/json.hpp"
#include "output/table.hpp"

namespace carroll::tool {

namespace {

constexpr SummationStrategy strategies[] = {SummationStrategy::collect, SummationStrategy::tree,
                                            SummationStrategy::exchange};

std::string time_text(double seconds) {
  if (seconds < 1e-12) return "0 ns";
  if (seconds < 1e-6) return fmt::format("{:.3g} ns", 1e9 * seconds);
  if (seconds < 1e-3) return fmt::format("{:.4g} us", 1e6 * seconds);
  if (seconds < 1) return fmt::format("{:.4g} ms", 1e3 * seconds);
  return fmt::format("{:.4g} s", seconds);
}

std::string signed_time_text(double seconds) {
  std::string const text = time_text(std::abs(seconds));
  return seconds < 0 && text != "0 ns" ? "-" + text : text;
}

Json point_json(ScalingReport const& report, SizeScaling const& of, std::size_t k) {
  Speedup const& point = of.points[k];
  Json object{{report.worker + "s", point.threads}, {"seconds", point.seconds},
              {"absolute", point.absolute},         {"relative", point.relative},
              {"efficiency", point.efficiency},     {"overhead", point.overhead},
              {"karp_flatt", point.karp_flatt}};
  if (report.network) object["others"] = Json();
  for (auto const& way : of.others) object["others"][way.name] = way.seconds[k];
  object["model"] = Json();
  if (!report.operation->is_sum) return object;
  for (auto const strategy : strategies) {
    object["model"][std::string(to_string(strategy))] =
        report.model.parallel(strategy, of.size, point.threads);
  }
  return object;
}

Json fit_json(std::optional<AmdahlFit> const& fit, bool overhead) {
  if (!fit) return {};
  Json object{{"serial_fraction", fit->serial_fraction}, {"seconds", fit->seconds}};
  if (overhead) object["overhead_seconds"] = fit->overhead_seconds;
  object["residual"] = fit->residual;
  return object;
}

Json times_json(MessageTimes const& times) {
  return {{"latency", times.latency}, {"bandwidth", times.bandwidth}};
}

Json network_json(Network const& network) {
  Json object;
  object["ping_pong"] = times_json(network.ping_pong);
  object["all_gather"] = Json::array();
  for (auto const& [ranks, times] : network.all_gather) {
    Json entry;
    entry["ranks"] = ranks;
    entry.update(times_json(times));
    object["all_gather"].push_back(std::move(entry));
  }
  return object;
}

Json scaled_json(ScalingReport const& report, SizeScaling const& of) {
  if (of.scaled.empty()) return {};
  Json object;
  object["points"] = Json::array();
  for (auto const& point : of.scaled) {
    object["points"].push_back(Json{{report.worker + "s", point.threads},
                                    {"size", point.size},
                                    {"seconds", point.seconds},
                                    {"one_" + report.worker + "_seconds", point.one_thread_seconds},
                                    {"scaled_speedup", point.scaled_speedup}});
  }
  object["gustafson"] = Json();
  if (of.gustafson) {
    object["gustafson"]["serial_fraction"] = of.gustafson->serial_fraction;
    object["gustafson"]["residual"] = of.gustafson->residual;
  }
  return object;
}

std::string size_lines(ScalingReport const& report, SizeScaling const& of) {
  std::string text = "\n";
  add_line(text, "size", std::to_string(of.size));
  bool const loop = of.loop_seconds && *of.loop_seconds <= of.sequential_seconds;
  std::string const other =
      of.loop_seconds && !loop ? fmt::format("; a loop {}", time_text(*of.loop_seconds)) : "";
  add_line(text, "T_s",
           fmt::format("{} by {}{}", time_text(of.sequential_seconds),
                       loop ? "a loop" : "one " + report.worker, other));
  text += fmt::format("{:>7}  {:>9}  {:>8}  {:>8}  {:>10}  {:>9}  {:>10}", report.worker + "s",
                      "time", "absolute", "relative", "efficiency", "overhead", "Karp-Flatt");
  if (report.operation->is_sum) text += fmt::format("  {:>9}  {:>9}", "collect", "tree");
  for (auto const& way : of.others) text += fmt::format("  {:>9}", way.name + "*");
  text += "\n";
  for (std::size_t k = 0; k < of.points.size(); ++k) {
    Speedup const& point = of.points[k];
    std::string const fraction =
        std::isnan(point.karp_flatt) ? "-" : fmt::format("{:.4f}", point.karp_flatt);
    text += fmt::format("{:>7}  {:>9}  {:>8.3f}  {:>8.3f}  {:>10.3f}  {:>9}  {:>10}", point.threads,
                        time_text(point.seconds), point.absolute, point.relative, point.efficiency,
                        signed_time_text(point.overhead), fraction);
    if (report.operation->is_sum) {
      for (auto const strategy : {SummationStrategy::collect, SummationStrategy::tree}) {
        text += fmt::format("  {:>9}",
                            time_text(report.model.parallel(strategy, of.size, point.threads)));
      }
    }
    for (auto const& way : of.others) text += fmt::format("  {:>9}", time_text(way.seconds[k]));
    text += "\n";
  }
  if (of.amdahl) {
    add_line(text, "Amdahl",
             fmt::format("serial fraction {:.4f}, residual {:.1f} %", of.amdahl->serial_fraction,
                         100 * of.amdahl->residual));
    add_line(
        text, "with an overhead",
        fmt::format("serial fraction {:.4f}, {}{} for all", of.amdahl_overhead->serial_fraction,
                    of.amdahl_overhead->overhead_seconds < 0 ? "-" : "",
                    time_text(std::abs(of.amdahl_overhead->overhead_seconds))));
  }
  if (of.scaled.empty()) return text;
  text += fmt::format("{:>7}  {:>9}  {:>9}  {:>10}  {:>14}\n", report.worker + "s", "size", "time",
                      "one " + report.worker, "scaled speed-up");
  for (auto const& point : of.scaled) {
    text += fmt::format("{:>7}  {:>9}  {:>9}  {:>10}  {:>15.3f}\n", point.threads, point.size,
                        time_text(point.seconds), time_text(point.one_thread_seconds),
                        point.scaled_speedup);
  }
  if (of.gustafson) {
    add_line(text, "Gustafson",
             fmt::format("serial fraction {:.4f}, residual {:.1f} %", of.gustafson->serial_fraction,
                         100 * of.gustafson->residual));
  }
  return text;
}

std::string times_text(MessageTimes const& times) {
  return fmt::format("{} for a number, {:.3g} GB/s", time_text(times.latency),
                     1e-9 * times.bandwidth);
}

std::string network_lines(Network const& network) {
  std::string text;
  add_line(text, "ping-pong", times_text(network.ping_pong));
  for (auto const& [ranks, times] : network.all_gather)
    add_line(text, "all-gather", fmt::format("{} of {} ranks", times_text(times), ranks));
  return text;
}

}  // namespace

std::string json(ScalingReport const& report) {
  Json object{{"status", "success"},
              {"operation", report.operation->name},
              {"size_is", report.operation->size},
              {"precision", "double"},
              {"backend", report.backend},
              {"device", report.device}};
  object["most_" + report.worker + "s"] = report.most_threads;
  object["repetitions"] = report.repetitions;
  object["t_calc"] = report.model.calc_seconds;
  object["t_com"] = report.model.com_seconds;
  if (report.network) object["network"] = network_json(*report.network);
  if (!report.network) object["fork_join"] = Json::array();
  for (auto const& time : report.fork_joins) {
    Json entry;
    entry["threads"] = time.threads;
    entry["seconds"] = time.seconds;
    object["fork_join"].push_back(std::move(entry));
  }
  object["sizes"] = Json::array();
  for (auto const& of : report.sizes) {
    Json entry{{"size", of.size},
               {"sequential_seconds", of.sequential_seconds},
               {"loop_seconds", or_null(of.loop_seconds)},
               {"points", Json::array()}};
    for (std::size_t k = 0; k < of.points.size(); ++k)
      entry["points"].push_back(point_json(report, of, k));
    entry["amdahl"] = fit_json(of.amdahl, false);
    entry["amdahl_overhead"] = fit_json(of.amdahl_overhead, true);
    entry["scaled"] = scaled_json(report, of);
    object["sizes"].push_back(std::move(entry));
  }
  return line(object);
}

std::string table(ScalingReport const& report) {
  std::string text;
  add_line(text, "operation", fmt::format("{}, double precision", report.operation->name));
  add_line(text, "size", report.operation->size);
  if (report.network) add_line(text, "ranks", std::to_string(report.most_threads));
  add_line(text, "backend", fmt::format("{}, {}", report.backend, one_line(report.device)));
  add_line(text, "repetitions", std::to_string(report.repetitions));
  add_line(text, "t_calc", time_text(report.model.calc_seconds) + " an addition");
  add_line(text, "t_com",
           time_text(report.model.com_seconds) + " from " + report.worker + " to " + report.worker);
  std::string regions;
  for (auto const& time : report.fork_joins) {
    regions += fmt::format("{}{} by {}", regions.empty() ? "" : ", ", time_text(time.seconds),
                           time.threads);
  }
  if (report.network)
    text += network_lines(*report.network);
  else
    add_line(text, "parallel region", regions);
  for (auto const& of : report.sizes) text += size_lines(report, of);
  return text;
}

}  // namespace carroll::tool
