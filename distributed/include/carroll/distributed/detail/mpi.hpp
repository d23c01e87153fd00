// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

/// MPI on bytes in memory of the host, of any length: MPI counts with an int. What goes wrong in
/// MPI is for the communicator's error handler, which by default ends all ranks.
namespace carroll::distributed::detail {

inline constexpr std::int64_t most_mpi_bytes = std::int64_t{1} << 30;

/// f(offset, bytes) for pieces that MPI can count, one after the other.
template <class F>
void by_pieces(std::int64_t bytes, std::int64_t piece, F const& f) {
  for (std::int64_t at = 0; at < bytes; at += piece)
    f(at, static_cast<int>(std::min(piece, bytes - at)));
}

inline void broadcast_bytes(MPI_Comm comm, std::byte* data, std::int64_t bytes, int root) {
  by_pieces(bytes, most_mpi_bytes,
            [&](std::int64_t at, int count) { MPI_Bcast(data + at, count, MPI_BYTE, root, comm); });
}
inline void send_bytes(MPI_Comm comm, std::byte const* data, std::int64_t bytes, int to) {
  by_pieces(bytes, most_mpi_bytes,
            [&](std::int64_t at, int count) { MPI_Send(data + at, count, MPI_BYTE, to, 0, comm); });
}
inline void receive_bytes(MPI_Comm comm, std::byte* data, std::int64_t bytes, int from) {
  by_pieces(bytes, most_mpi_bytes, [&](std::int64_t at, int count) {
    MPI_Recv(data + at, count, MPI_BYTE, from, 0, comm, MPI_STATUS_IGNORE);
  });
}

/// Where pieces of the given lengths begin, one behind the other.
template <class Number>
std::vector<Number> begins(std::span<std::int64_t const> lengths) {
  std::vector<Number> result(lengths.size());
  std::int64_t begin = 0;
  for (std::size_t r = 0; r < lengths.size(); ++r) {
    result[r] = static_cast<Number>(begin);
    begin += lengths[r];
  }
  return result;
}

inline std::int64_t total(std::span<std::int64_t const> lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
}

/// lengths[r] bytes from each rank r to all, in rank order. `mine` may be its place in `all`.
inline void all_gather_bytes(MPI_Comm comm, int rank, std::byte const* mine, std::byte* all,
                             std::span<std::int64_t const> lengths) {
  auto const me = static_cast<std::size_t>(rank);
  bool const same =
      std::adjacent_find(lengths.begin(), lengths.end(), std::not_equal_to<>()) == lengths.end();
  auto const places = begins<std::int64_t>(lengths);
  if (total(lengths) <= std::numeric_limits<int>::max()) {
    int const count = static_cast<int>(lengths[me]);
    void const* const from = mine == all + places[me] ? MPI_IN_PLACE : mine;
    if (same) {
      MPI_Allgather(from, count, MPI_BYTE, all, count, MPI_BYTE, comm);
      return;
    }
    std::vector<int> const counts(lengths.begin(), lengths.end()), starts = begins<int>(lengths);
    MPI_Allgatherv(from, count, MPI_BYTE, all, counts.data(), starts.data(), MPI_BYTE, comm);
    return;
  }
  if (mine != all + places[me]) std::copy_n(mine, lengths[me], all + places[me]);
  for (std::size_t r = 0; r < lengths.size(); ++r)
    broadcast_bytes(comm, all + places[r], lengths[r], static_cast<int>(r));
}

/// The same to `root` alone.
inline void gather_bytes(MPI_Comm comm, int rank, std::byte const* mine, std::byte* all,
                         std::span<std::int64_t const> lengths, int root) {
  auto const me = static_cast<std::size_t>(rank);
  auto const places = begins<std::int64_t>(lengths);
  if (total(lengths) <= std::numeric_limits<int>::max()) {
    std::vector<int> const counts(lengths.begin(), lengths.end()),
        int_places(places.begin(), places.end());
    MPI_Gatherv(mine, static_cast<int>(lengths[me]), MPI_BYTE, all, counts.data(),
                int_places.data(), MPI_BYTE, root, comm);
  } else if (rank == root) {
    std::copy_n(mine, lengths[me], all + places[me]);
    for (std::size_t r = 0; r < lengths.size(); ++r)
      if (r != me) receive_bytes(comm, all + places[r], lengths[r], static_cast<int>(r));
  } else {
    send_bytes(comm, mine, lengths[me], root);
  }
}

/// From `root`: lengths[r] bytes to each rank r.
inline void scatter_bytes(MPI_Comm comm, int rank, std::byte const* all, std::byte* mine,
                          std::span<std::int64_t const> lengths, int root) {
  auto const me = static_cast<std::size_t>(rank);
  auto const places = begins<std::int64_t>(lengths);
  if (total(lengths) <= std::numeric_limits<int>::max()) {
    std::vector<int> const counts(lengths.begin(), lengths.end()),
        int_places(places.begin(), places.end());
    MPI_Scatterv(all, counts.data(), int_places.data(), MPI_BYTE, mine,
                 static_cast<int>(lengths[me]), MPI_BYTE, root, comm);
  } else if (rank == root) {
    std::copy_n(all + places[me], lengths[me], mine);
    for (std::size_t r = 0; r < lengths.size(); ++r)
      if (r != me) send_bytes(comm, all + places[r], lengths[r], static_cast<int>(r));
  } else {
    receive_bytes(comm, mine, lengths[me], root);
  }
}

}  // namespace carroll::distributed::detail
