// SPDX-License-Identifier: BSD-3-Clause
// The `carroll` command-line tool. Exit status: 0 success; 1 the numerics say no; 2 unusable input
// or usage, with one line on standard error.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <carroll/detail/terminate.hpp>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "blas/command.hpp"
#include "determinant/command.hpp"
#include "eigh/command.hpp"
#include "files/file_error.hpp"
#include "kokkos_flags.hpp"
#include "lstsq/command.hpp"
#include "occupancy/command.hpp"
#include "output/files.hpp"
#include "output/report.hpp"
#include "output/standard_output.hpp"
#include "pseudoinverse/command.hpp"
#include "qr/command.hpp"
#include "ranks/launcher.hpp"
#include "ranks/ranks.hpp"
#include "recommend/command.hpp"
#include "runtime.hpp"
#include "scaling/command.hpp"
#include "solve/command.hpp"
#include "svd/command.hpp"
#include "waiting.hpp"
#ifdef CARROLL_TOOL_COMPRESSION
#include "compress/command.hpp"
#endif
#ifdef CARROLL_TOOL_PICTURES
#include "denoise/command.hpp"
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

/// How a command is run.
struct Entry {
  Command command;
  /// Do all ranks run it? Where not, the first one does it alone.
  bool over_ranks;
  int (*run)(Arguments const&, KokkosFlags const&, Ranks const&);
};

/// A command's function with those of its arguments that it takes.
template <auto run_command, auto own>
int with(Arguments const& all, KokkosFlags const& flags, Ranks const& ranks) {
  auto const& arguments = all.*own;
  using Function = decltype(run_command);
  using Own = decltype(arguments);
  if constexpr (std::is_invocable_v<Function, Own, KokkosFlags const&, Ranks const&>)
    return run_command(arguments, flags, ranks);
  else if constexpr (std::is_invocable_v<Function, Own, KokkosFlags const&>)
    return run_command(arguments, flags);
  else
    return run_command(arguments);
}

int run_print(Arguments const& arguments, KokkosFlags const&, Ranks const&) {
  print(arguments.text);
  return 0;
}

int run_info(Arguments const& arguments, KokkosFlags const& flags, Ranks const& ranks) {
  Runtime const runtime(flags);
  RuntimeInfo info = runtime_info();
  info.mpi = mpi_library();
  info.ranks = ranks.size();
  info.devices = ranks.gather(info.host + ", " + info.device);
  return ranks.first_alone([&] {
    print(arguments.info_json ? json(info) : table(info));
    return 0;
  });
}

constexpr Entry entries[] = {
    {Command::print, false, run_print},
    {Command::info, true, run_info},
    {Command::svd, true, with<run_svd, &Arguments::svd>},
    {Command::eigh, true, with<run_eigh, &Arguments::eigh>},
    {Command::qr, true, with<run_qr, &Arguments::qr>},
    {Command::lstsq, true, with<run_lstsq, &Arguments::lstsq>},
    {Command::solve, false, with<run_solve, &Arguments::solve>},
    {Command::inverse, false, with<run_solve, &Arguments::inverse>},
    {Command::det, true, with<run_det, &Arguments::det>},
    {Command::pinv, true, with<run_pinv, &Arguments::pinv>},
    {Command::sum, true, with<run_sum, &Arguments::sum>},
    {Command::dot, true, with<run_dot, &Arguments::dot>},
    {Command::norm, true, with<run_norm, &Arguments::norm>},
    {Command::gemv, true, with<run_gemv, &Arguments::gemv>},
    {Command::gemm, false, with<run_gemm, &Arguments::gemm>},
    {Command::add, false, with<run_add, &Arguments::add>},
    {Command::recommend, false, with<run_recommend, &Arguments::recommend>},
#ifdef CARROLL_TOOL_COMPRESSION
    {Command::compress, false, with<run_compress, &Arguments::compress>},
    {Command::decompress, false, with<run_decompress, &Arguments::decompress>},
#endif
    {Command::scaling, true, with<run_scaling, &Arguments::scaling>},
    {Command::occupancy, false, with<run_occupancy, &Arguments::occupancy>},
#ifdef CARROLL_TOOL_PICTURES
    {Command::track, false, with<run_track, &Arguments::track>},
    {Command::synth, false, with<run_synth, &Arguments::synth>},
    {Command::denoise, false, with<run_denoise, &Arguments::denoise>},
    {Command::background, false, with<run_background, &Arguments::background>},
#endif
};

int run(std::vector<std::string> words, Ranks const& ranks) {
  std::string line;
  for (auto const& word : words) line += word + '\0';
  KokkosFlags flags;
  Arguments arguments;
  ranks.together("the command line", std::hash<std::string>()(line), [&] {
    flags = take_kokkos_flags(words);
    if (!flags.help) arguments = parse_arguments(std::move(words));
  });
  if (flags.help) {
    return ranks.first_alone([&] {
      Runtime const runtime(flags);  // prints what was asked for
      return 0;
    });
  }
  auto const& entry = *std::ranges::find(entries, arguments.command, &Entry::command);
  if (entry.over_ranks) return entry.run(arguments, flags, ranks);
  return ranks.first_alone([&] { return entry.run(arguments, flags, ranks); });
}

void complain(std::string const& what) {
  std::string const line = "carroll: " + one_line(what) + "\n";
  [[maybe_unused]] auto const written = ::write(STDERR_FILENO, line.data(), line.size());
}

constexpr char no_memory[] = "there is not enough memory";

std::string what(std::exception const& error) {
  std::string const text = error.what();
  return text == "std::bad_alloc" ? no_memory : text;
}

Ranks const* ranks_at_work = nullptr;  ///< for a handler, which takes no arguments

/// An exception where none may be thrown ends as all others do.
[[noreturn]] void end_at_terminate(std::exception const* error) {
  static std::atomic_flag again;
  if (again.test_and_set()) std::_Exit(2);  // by what is done below
  OutputFiles::remove_temporaries();
  std::string const cause = error ? what(*error) : "error";  // short: not allocated
  std::_Exit(ranks_at_work->fail([&] { complain(cause); }));
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_descriptors();
  ignore_signals_of_write();
  Ranks ranks;
  ranks_at_work = &ranks;
  carroll::detail::TerminateGuard const terminate(end_at_terminate);
  std::optional<Launched> started;
  try {
    if (argc > 1) let_waiting_threads_sleep(argv);
    started = launched();
    ranks = Ranks(started);
  } catch (std::bad_alloc const& error) {
    complain(what(error));
    return 2;
  } catch (std::exception const& error) {
    if (!started || started->rank == 0) complain(what(error));  // all know
    return 2;
  }
  std::string cause = "an unknown error";
  try {
    return run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc), ranks);
  } catch (std::exception const& error) {
    cause = what(error);
  } catch (...) {
  }
  int const status = ranks.fail([&] { complain(cause); });
  ranks = Ranks();  // MPI ends; Kokkos does not: see Runtime
  std::_Exit(status);
}
