// SPDX-License-Identifier: BSD-3-Clause
#include "solve/command.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "files/batch_file.hpp"
#include "files/batches_alike.hpp"
#include "files/complex_matrix.hpp"
#include "files/file_error.hpp"
#include "files/limits.hpp"
#include "files/npy/writer.hpp"
#include "output/members.hpp"
#include "output/run.hpp"
#include "runtime.hpp"
#include "solve/report.hpp"
#include "solve/solve.hpp"

namespace carroll::tool {

namespace {

/// What is to be solved, in one precision.
struct SolveInputs {
  AnyFieldBatch A, B;
  bool is_batch = false, is_vector = false;  ///< B has one dimension
  std::vector<std::string> files;
};

AnyFieldBatch read_one(std::string const& file, std::optional<Precision> precision, bool batch,
                       bool* is_vector) {
  if (!batch) return read_field_batch_of_one(file, precision, is_vector);
  return read_field_batch(file, precision, [](std::int64_t count) { return EntryRange{0, count}; });
}

template <class Number>
std::string shape_of(HostBatch<Number> const& batch) {
  return extents_text(batch.rows, batch.cols);
}

/// A square one.
template <class Number>
void check_matrix(HostBatch<Number> const& A, std::string const& file) {
  if (A.rows != A.cols) throw FileError(file, "is " + shape_of(A) + ", must be square");
}

template <class Number>
void check_sides(HostBatch<Number> const& A, HostBatch<Number> const& B,
                 SolveArguments const& arguments) {
  if (B.rows != A.rows)
    throw FileError(arguments.b, "is " + shape_of(B) + ", must have " + count_text(A.rows, "row") +
                                     ": " + arguments.a + " is " + shape_of(A));
  if (B.members != A.members)
    throw FileError(arguments.b, "has " + count_text(B.members, "member") + ", " + arguments.a +
                                     " has " + std::to_string(A.members));
}

/// The identity for each member.
template <class Number>
HostBatch<Number> identities(HostBatch<Number> const& A) {
  HostBatch<Number> B{A.all, A.members, A.rows, A.cols, std::vector<Number>(A.values.size())};
  for (std::int64_t b = 0; b < A.members; ++b)
    for (std::int64_t i = 0; i < A.rows; ++i)
      B.values[static_cast<std::size_t>((b * A.rows + i) * A.cols + i)] = 1;
  return B;
}

SolveInputs read_inputs(SolveArguments const& arguments, Progress& progress) {
  SolveInputs read;
  progress.phase("reading " + arguments.a);
  read.files = {arguments.a};
  read.is_batch = is_batch(arguments.a);
  read.A = read_one(arguments.a, arguments.precision, read.is_batch, nullptr);
  std::visit([&](auto const& A) { check_matrix(A, arguments.a); }, read.A);
  if (arguments.b.empty()) {
    read.B = std::visit([](auto const& A) -> AnyFieldBatch { return identities(A); }, read.A);
  } else {
    progress.phase("reading " + arguments.b);
    read.files.push_back(arguments.b);
    read.B = read_one(arguments.b, arguments.precision, read.is_batch, &read.is_vector);
    with_type_of_both(read.A, read.B, [&]<class Number>(Number) {
      auto A = batch_as<Number>(std::move(read.A));
      auto B = batch_as<Number>(std::move(read.B));
      check_sides(A, B, arguments);
      read.A = std::move(A);
      read.B = std::move(B);
    });
  }
  return read;
}

template <class Number>
int solve_and_tell(HostBatch<Number> const& A, SolveInputs const& read,
                   SolveArguments const& arguments, Ranks const& ranks, Progress& progress) {
  auto const& B = std::get<HostBatch<Number>>(read.B);
  auto const found = solve_systems(A, B, arguments.b.empty(), arguments, progress);
  SolveReport report;
  report.inputs = read.files;
  report.is_batch = read.is_batch;
  report.is_complex = is_complex_number<Number>;
  report.n = A.rows;
  report.columns = B.cols;
  report.precision = precision_of<PartOf<Number>>;
  report.path = arguments.path;
  report.backend = found.backend;
  report.members = found.members;
  report.status = status_of_all(found.members);
  report.seconds = found.seconds;
  report.sharing = {ranks.size(), Engine::one_rank};
  std::string const name = arguments.output + "_X.npy";
  return print_and_write(arguments, report, report.status, progress, "_X.npy",
                         [&](OutputFiles& files) {
                           std::vector<std::int64_t> extents{A.rows};
                           if (!read.is_vector) extents.push_back(B.cols);
                           if (read.is_batch) extents.insert(extents.begin(), A.members);
                           write_npy(files, name, extents, found.X);
                           return std::vector{name};
                         });
}

}  // namespace

int run_solve(SolveArguments const& arguments, KokkosFlags const& flags, Ranks const& ranks) {
  return run_on(arguments.a, [&](Progress& progress) {
    SolveInputs const read = read_inputs(arguments, progress);
    if (!arguments.output.empty()) OutputFiles::check(arguments.output + "_X.npy", read.files);
    Runtime const runtime(flags);
    return std::visit(
        [&](auto const& A) { return solve_and_tell(A, read, arguments, ranks, progress); }, read.A);
  });
}

}  // namespace carroll::tool
