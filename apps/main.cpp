// SPDX-License-Identifier: BSD-3-Clause
// The `carroll` command-line tool. Exit status: 0 success; 1 the numerics say no; 2 unusable input
// or usage, with one line on standard error.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "blas/command.hpp"
#include "determinant/command.hpp"
#include "files/file_error.hpp"
#include "kokkos_flags.hpp"
#include "occupancy/command.hpp"
#include "output/report.hpp"
#include "output/standard_output.hpp"
#include "pseudoinverse/command.hpp"
#include "runtime.hpp"
#include "scaling/command.hpp"
#include "svd/command.hpp"
#include "waiting.hpp"
#ifdef CARROLL_TOOL_PICTURES
#include "tracking/synth_command.hpp"
#include "tracking/track_command.hpp"
#endif

namespace {

using namespace carroll::tool;

/// A file that is opened while a standard descriptor is closed would take its number, and the
/// report would end up in it. Reading from or writing to these stand-ins fails as it should.
void occupy_standard_descriptors() {
  for (int const descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1) continue;
    ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

/// A reader that has gone away and a file that has reached its limit become errors like any other.
void ignore_signals_of_write() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

int run(std::vector<std::string> words) {
  KokkosFlags const flags = take_kokkos_flags(words);
  if (flags.help) {
    Runtime const runtime(flags);  // prints what was asked for
    return 0;
  }
  Arguments const arguments = parse_arguments(std::move(words));
  if (arguments.command == Command::svd) return run_svd(arguments.svd, flags);
  if (arguments.command == Command::det) return run_det(arguments.det, flags);
  if (arguments.command == Command::pinv) return run_pinv(arguments.pinv, flags);
#ifdef CARROLL_TOOL_PICTURES
  if (arguments.command == Command::track) return run_track(arguments.track, flags);
  if (arguments.command == Command::synth) return run_synth(arguments.synth, flags);
#endif
  if (arguments.command == Command::sum) return run_sum(arguments.sum, flags);
  if (arguments.command == Command::dot) return run_dot(arguments.dot, flags);
  if (arguments.command == Command::norm) return run_norm(arguments.norm, flags);
  if (arguments.command == Command::gemv) return run_gemv(arguments.gemv, flags);
  if (arguments.command == Command::gemm) return run_gemm(arguments.gemm, flags);
  if (arguments.command == Command::add) return run_add(arguments.add, flags);
  if (arguments.command == Command::occupancy) return run_occupancy(arguments.occupancy);
  if (arguments.command == Command::scaling) return run_scaling(arguments.scaling, flags);
  if (arguments.command == Command::info) {
    Runtime const runtime(flags);
    RuntimeInfo const info = runtime_info();
    print(arguments.info_json ? json(info) : table(info));
    return 0;
  }
  print(arguments.text);
  return 0;
}

void complain(std::string const& what) {
  std::string const line = "carroll: " + one_line(what) + "\n";
  [[maybe_unused]] auto const written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_descriptors();
  if (argc > 1) let_waiting_threads_sleep(argv);
  ignore_signals_of_write();
  try {
    return run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
  } catch (std::exception const& error) {
    complain(error.what());
  } catch (...) {
    complain("an unknown error");
  }
  return 2;
}
