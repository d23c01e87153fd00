// SPDX-License-Identifier: BSD-3-Clause
// Writes the digest of the solvers, or compares two of them.
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <exception>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "digest.hpp"
#ifdef CARROLL_DIGEST_RANKS
#include <carroll/distributed/environment.hpp>
#endif

namespace carroll::test {

void Digest::take(std::string const& name, Hash const& hash) {
  if (!cases_.emplace(name, hash.value()).second)
    throw std::logic_error("two cases are called '" + name + "'");
}

std::map<std::string, std::function<void(Digest&)>>& digests() {
  static std::map<std::string, std::function<void(Digest&)>> all;
  return all;
}

namespace {

#ifdef CARROLL_DIGEST_RANKS
// All ranks run the same cases; the first writes.
template <class Body>
int with_kokkos(int argc, char** argv, Body const& body) {
  return distributed::run(argc, argv, "digest", body);
}
bool writes() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 0;
}
#else
template <class Body>
int with_kokkos(int /*argc*/, char** /*argv*/, Body const& body) {
  Kokkos::ScopeGuard const kokkos;
  return body();
}
bool writes() {
  return true;
}
#endif

std::string hash_text(std::uint64_t hash) {
  std::ostringstream text;
  text << std::hex << std::setfill('0') << std::setw(16) << hash;
  return text.str();
}

bool is_wanted(std::vector<std::string> const& solvers, std::string const& solver) {
  return solvers.empty() || std::find(solvers.begin(), solvers.end(), solver) != solvers.end();
}

void write(std::ostream& out, std::vector<std::string> const& wanted) {
  for (auto const& [solver, run] : digests()) {
    if (!is_wanted(wanted, solver)) continue;
    Digest digest(solver);
    run(digest);
    for (auto const& [name, hash] : digest.cases()) out << name << ' ' << hash_text(hash) << '\n';
  }
}

/// Name to hash, the last word of a line.
std::map<std::string, std::string> read(std::string const& path,
                                        std::vector<std::string> const& wanted) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  std::map<std::string, std::string> cases;
  for (std::string line; std::getline(file, line);) {
    auto const gap = line.rfind(' ');
    if (gap == std::string::npos) throw std::runtime_error(path + ": not a digest: " + line);
    if (is_wanted(wanted, line.substr(0, line.find(' '))))
      cases[line.substr(0, gap)] = line.substr(gap + 1);
  }
  if (cases.empty()) throw std::runtime_error(path + ": no cases");
  return cases;
}

/// Prints the cases that differ; how many do.
int compare(std::string const& before_path, std::string const& after_path,
            std::vector<std::string> const& wanted) {
  auto const before = read(before_path, wanted), after = read(after_path, wanted);
  int differing = 0;
  auto const tell = [&](char const* what, std::string const& name) {
    std::cout << what << ": " << name << '\n';
    ++differing;
  };
  for (auto const& [name, hash] : before) {
    auto const found = after.find(name);
    if (found == after.end())
      tell("gone", name);
    else if (found->second != hash)
      tell("other bits", name);
  }
  for (auto const& [name, hash] : after)
    if (!before.contains(name)) tell("new", name);
  std::cout << before.size() << " cases, of which " << differing << " differ\n";
  return differing;
}

void require_threads([[maybe_unused]] int threads) {
#ifdef KOKKOS_ENABLE_OPENMP
  if constexpr (std::is_same_v<Kokkos::DefaultExecutionSpace, Kokkos::OpenMP>)
    if (int const found = Kokkos::DefaultExecutionSpace().concurrency();
        threads != 0 && threads != found)
      throw std::runtime_error("there are " + std::to_string(found) + " threads");
#endif
}

int run(int argc, char** argv) {
  CLI::App app("Digest of the bits that Carroll's solvers compute");
  std::string path = "-";
  int threads = 0;
  std::vector<std::string> solvers, pair;
  app.add_option("FILE", path, "where to write it; - is the standard output");
  app.add_option("--solver", solvers, "of these alone")->check([](std::string const& name) {
    if (digests().contains(name)) return std::string();
    std::string known;
    for (auto const& [solver, run] : digests()) known += ' ' + solver;
    return "there is no '" + name + "' among" + known;
  });
  app.add_option("--threads", threads, "fail if the host backend runs with another number");
  app.add_option("--compare", pair, "compare two digests instead")->expected(2);
  CLI11_PARSE(app, argc, argv);

  if (!pair.empty()) return compare(pair[0], pair[1], solvers) == 0 ? 0 : 1;
  return with_kokkos(argc, argv, [&] {
    require_threads(threads);
    if (path == "-" || !writes()) {
      std::ostream nowhere(nullptr);
      write(writes() ? std::cout : nowhere, solvers);
      return std::cout.flush() ? 0 : 2;
    }
    std::ofstream out(path);
    write(out, solvers);
    out.close();
    if (!out) throw std::runtime_error(path + ": cannot be written");
    return 0;
  });
}

}  // namespace
}  // namespace carroll::test

int main(int argc, char** argv) {
  try {
    return carroll::test::run(argc, argv);
  } catch (std::exception const& error) {
    std::cerr << "digest: " << error.what() << '\n';
    return 2;
  }
}
