// The main function of the hostile testers: rounds until the time is up, each from a seed of its
// own.
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <exception>
#include <iostream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "hostile/members.hpp"
#include "hostile/round.hpp"
#ifdef CARROLL_HOSTILE_RANKS
#include <carroll/distributed/environment.hpp>
#endif

namespace carroll::test {
namespace {

#ifdef CARROLL_HOSTILE_RANKS
// All ranks play the same rounds, of which the first tells how many there are; each tells what is
// wrong there.
using Scope = distributed::ScopeGuard;
bool agreed(bool mine) {
  MPI_Bcast(&mine, 1, MPI_CXX_BOOL, 0, MPI_COMM_WORLD);
  return mine;
}
std::int64_t of_all_ranks(std::int64_t mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return mine;
}
bool tells() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 0;
}
#else
using Scope = Kokkos::ScopeGuard;
bool agreed(bool mine) {
  return mine;
}
std::int64_t of_all_ranks(std::int64_t mine) {
  return mine;
}
bool tells() {
  return true;
}
#endif

struct Wishes {
  std::uint64_t seed = 1;
  double seconds = 0;
  std::int64_t members = 0;
  std::int64_t first = 0;
  std::int64_t rounds = std::numeric_limits<std::int64_t>::max();
  std::int64_t complaints = 20;
  std::string kind;
  Fault fault = Fault::none;

  /// Ten seconds where nothing else ends it.
  void complete() {
    bool const counted = members > 0;
    if (seconds == 0) seconds = counted ? std::numeric_limits<double>::infinity() : 10;
    if (!counted) members = std::numeric_limits<std::int64_t>::max();
    wants_members = counted;
  }
  bool wants_members = false;
};

std::map<std::string, Fault> const faults{
    {"bit", Fault::bit}, {"value", Fault::value}, {"swap", Fault::swap}, {"status", Fault::status}};

std::vector<std::string> known_kinds() {
  std::vector<std::string> kinds;
  std::istringstream names{std::string(hostile_kinds)};
  for (std::string name; std::getline(names, name, ',');) kinds.push_back(name);
  return kinds;
}

class Tester {
 public:
  explicit Tester(Wishes const& wishes) : wishes_(wishes) {}

  int run() {
    for (std::int64_t number = wishes_.first; agreed(wants_more()); ++number) play(number);
    complaints_ = of_all_ranks(complaints_);
    if (tells()) tell();
    if (wishes_.fault != Fault::none) return found_ > 0 ? 0 : 1;
    bool const enough = members_ >= (wishes_.wants_members ? wishes_.members : 1);
    return complaints_ == 0 && enough ? 0 : 1;
  }

 private:
  void tell() const {
    std::cout << hostile_name << ": " << members_ << " members";
    if (wishes_.wants_members && members_ < wishes_.members)
      std::cout << " of " << wishes_.members << " wanted";
    std::cout << " in " << rounds_ << " rounds, " << complaints_ << " wrong; seed " << wishes_.seed
              << ", " << elapsed() << " s, of processors "
              << static_cast<double>(std::clock()) / CLOCKS_PER_SEC << " s\n";
    if (wishes_.fault != Fault::none)
      std::cout << hostile_name << ": the fault was found in " << found_ << " of " << spoiled_
                << " rounds that had it\n";
  }
  [[nodiscard]] double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  [[nodiscard]] bool wants_more() const {
    return rounds_ < wishes_.rounds && members_ < wishes_.members &&
           (complaints_ < wishes_.complaints || wishes_.fault != Fault::none) &&
           elapsed() < wishes_.seconds;
  }

  void play(std::int64_t number) {
    Round round(wishes_.seed, number, wishes_.fault, [&](std::string const& what) {
      if (wishes_.fault != Fault::none && ++told_ > wishes_.complaints) return;
      std::cout << hostile_name << ": --seed " << wishes_.seed << " --first " << number
                << " --rounds 1: " << what << std::endl;
    });
    try {
      hostile_round(round, wishes_.kind);
    } catch (std::exception const& error) {
      round.wrong(std::string("threw ") + error.what());
    }
    ++rounds_;
    members_ += round.members();
    complaints_ += round.complaints();
    spoiled_ += round.spoiled() ? 1 : 0;
    found_ += round.spoiled() && round.complaints() > 0 ? 1 : 0;
  }

  Wishes wishes_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::int64_t rounds_ = 0, members_ = 0, complaints_ = 0, told_ = 0, spoiled_ = 0, found_ = 0;
};

}  // namespace
}  // namespace carroll::test

int main(int argc, char** argv) {
  using namespace carroll::test;
  Wishes wishes;
  CLI::App app{std::string(hostile_about), std::string(hostile_name)};
  app.add_option("--seed", wishes.seed, "What everything random follows from")
      ->capture_default_str();
  app.add_option("--seconds", wishes.seconds,
                 "Begin no round after this time (default: 10, with --members none)")
      ->check(CLI::PositiveNumber);
  app.add_option("--members", wishes.members,
                 "Begin no round after so many members; fewer of them are a failure")
      ->check(CLI::PositiveNumber);
  app.add_option("--first", wishes.first, "Number of the first round")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--rounds", wishes.rounds, "Number of rounds")->check(CLI::PositiveNumber);
  app.add_option("--complaints", wishes.complaints, "Stop after so many")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--kind", wishes.kind, "Only problems of this kind")
      ->check(CLI::IsMember(known_kinds()));
  app.add_option("--oracles", oracle_threads,
                 "Threads that judge results beside a device (default: one per processor)")
      ->check(CLI::PositiveNumber);
  app.add_option("--fault", wishes.fault,
                 "Spoil results, to see whether that is found: bit, value, swap, status")
      ->transform(CLI::CheckedTransformer(faults));
  app.footer("Exit status: 0 if nothing was wrong, 1 otherwise, 2 for unusable arguments.");
  app.allow_extras();  // Kokkos' own flags
  try {
    app.parse(argc, argv);
    for (std::string const& word : app.remaining())
      if (word.rfind("--kokkos-", 0) != 0) throw CLI::ExtrasError({word});
  } catch (CLI::ParseError const& error) {
    int const status = app.exit(error);
    return status == 0 ? 0 : 2;
  }
  wishes.complete();
  Scope const scope(argc, argv);
  if (tells())
    std::cout << hostile_name << " on " << Kokkos::DefaultExecutionSpace::name() << ", "
              << Kokkos::DefaultExecutionSpace().concurrency() << " thread(s)" << std::endl;
  return Tester(wishes).run();
}
