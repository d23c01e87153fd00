// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <carroll/distributed/block_layout.hpp>
#include <carroll/distributed/communicator.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "contract/digest/digest.hpp"
#include "distributed/packed.hpp"

/// The digest over ranks: cases whose bits may not depend on the number of ranks, on how they share
/// a problem, or on MPI. What only one rank has comes together before it is hashed.
namespace carroll::test {

using RankExec = Kokkos::DefaultExecutionSpace;
using RankComm = distributed::Communicator<RankExec>;

/// Of all ranks; it is gone with the cases of a solver, before MPI is.
[[nodiscard]] inline RankComm all_ranks() {
  return RankComm::duplicate_from_raw(MPI_COMM_WORLD);
}

/// A View's entries, one after the other.
template <class View>
Hash& add_view(Hash& hash, View const& view) {
  for (char const byte : packed_bytes(view)) hash.add(byte);
  return hash;
}

/// Adds those of a matrix or a vector of which each rank has rows, none of them twice: from `first`
/// on those of `mine`, of `rows` rows of `row_bytes` bytes.
inline Hash& add_rows(Hash& hash, RankComm const& comm, std::int64_t rows, std::size_t row_bytes,
                      std::int64_t first, std::string const& mine) {
  std::string all(static_cast<std::size_t>(rows) * row_bytes, '\0');
  all.replace(static_cast<std::size_t>(first) * row_bytes, mine.size(), mine);
  MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_BYTE, MPI_BOR,
                comm.raw());
  for (char const byte : all) hash.add(byte);
  return hash;
}
template <class View>
Hash& add_rows(Hash& hash, RankComm const& comm, distributed::BlockLayout const& layout,
               View const& mine) {
  std::size_t row_bytes = sizeof(typename View::value_type);
  for (int d = 1; d < int(View::rank); ++d) row_bytes *= mine.extent(d);
  return add_rows(hash, comm, layout.length(), row_bytes, layout.begin(comm.rank()),
                  packed_bytes(mine));
}

/// Ways to share out so many things, in units: evenly; more for the later ranks; all on the last.
[[nodiscard]] inline std::vector<distributed::BlockLayout> some_layouts(int ranks,
                                                                        std::int64_t length,
                                                                        std::int64_t unit = 1) {
  distributed::BlockLayout rising, last;
  std::int64_t const units = (length + unit - 1) / unit;
  for (std::int64_t r = 1; r <= ranks; ++r) {
    std::int64_t const before = units * r * r / (std::int64_t{ranks} * ranks);
    rising.offsets.push_back(std::min(length, before * unit));
    last.offsets.push_back(r == ranks ? length : 0);
  }
  return {distributed::block_layout(ranks, length, unit), rising, last};
}

}  // namespace carroll::test
