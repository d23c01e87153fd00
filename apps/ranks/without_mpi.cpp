// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>

#include "blas/ranks/over_ranks.hpp"
#include "determinant/ranks/determine_over.hpp"
#include "ranks/ranks.hpp"
#include "scaling/ranks/operations.hpp"
#include "svd/ranks/decompose_tall.hpp"

namespace carroll::tool {

struct Ranks::Mpi {};

Ranks::Ranks(std::optional<Launched> const& launched) {
  if (!launched || launched->size <= 1) return;
  throw std::runtime_error("this build is without MPI and cannot be one of " +
                           std::to_string(launched->size) +
                           " ranks; build where MPI is, or start one process");
}

void Ranks::together(char const*, std::uint64_t, std::function<void()> const& work) const {
  work();
}

int Ranks::first_alone(std::function<int()> const& work) const {
  return work();
}

double Ranks::of_first(double value) const {
  return value;
}
std::int64_t Ranks::of_first(std::int64_t value) const {
  return value;
}

std::vector<std::string> Ranks::gather(std::string const& mine) const {
  return {mine};
}

int Ranks::fail(std::function<void()> const& tell) const {
  tell();
  return 2;
}

std::string mpi_library() {
  return {};
}

EntryRange tall_rows(Ranks const&, std::int64_t, std::int64_t, Precision) {
  throw std::runtime_error("--method tall needs a build with MPI");
}

// What is for several ranks is never called.

EntryRange terms_of(Ranks const&, std::int64_t count) {
  return {0, count};
}

SharedExtents shared_extents(Ranks const&, std::int64_t rows, std::int64_t cols, bool) {
  return {rows, cols, Engine::one_rank, {0, rows, 0, cols}};
}

std::optional<std::vector<EntryRange>> determinant_rows(Ranks const&, std::int64_t, Precision) {
  return std::nullopt;
}

std::vector<char const*> const& rank_operation_names() {
  static std::vector<char const*> const none;
  return none;
}
std::vector<Operation> rank_operations(Ranks const&) {
  return {};
}
Network measure_network(Ranks const&, std::vector<int> const&) {
  return {};
}

template <class Real>
Reduced reduce_over(Ranks const&, HostEntries<Real> const&, HostEntries<Real> const&,
                    ReductionWishes const&, Progress&) {
  throw std::logic_error("a build without MPI");
}
template <class Real>
MatrixResult<Real> multiply_vector_over(Ranks const&, SharedMatrix<Real> const&,
                                        HostMatrix<Real> const&, HostMatrix<Real> const&,
                                        ProductWishes const&, Progress&) {
  throw std::logic_error("a build without MPI");
}
template <class Real>
Determination determine_over(Ranks const&, HostMatrix<Real> const&, Progress&) {
  throw std::logic_error("a build without MPI");
}
template <class Real>
Decomposition<Real> decompose_tall(Ranks const&, HostMatrix<Real> const&, std::int64_t,
                                   DecomposeOptions const&, Progress&) {
  throw std::logic_error("a build without MPI");
}

#define CARROLL_TOOL_WITHOUT_MPI(Real)                                                             \
  template Reduced reduce_over(Ranks const&, HostEntries<Real> const&, HostEntries<Real> const&,   \
                               ReductionWishes const&, Progress&);                                 \
  template MatrixResult<Real> multiply_vector_over(                                                \
      Ranks const&, SharedMatrix<Real> const&, HostMatrix<Real> const&, HostMatrix<Real> const&,   \
      ProductWishes const&, Progress&);                                                            \
  template Determination determine_over(Ranks const&, HostMatrix<Real> const&, Progress&);         \
  template Decomposition<Real> decompose_tall(Ranks const&, HostMatrix<Real> const&, std::int64_t, \
                                              DecomposeOptions const&, Progress&)
CARROLL_TOOL_WITHOUT_MPI(float);
CARROLL_TOOL_WITHOUT_MPI(double);

}  // namespace carroll::tool
