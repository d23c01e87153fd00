// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#ifdef CARROLL_HAVE_NCCL

#include <mpi.h>
#include <nccl.h>

#include <Kokkos_Core.hpp>
#include <carroll/distributed/detail/mpi.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

/// NCCL on bytes in memory of the device, enqueued on a stream: nothing here waits.
namespace carroll::distributed::detail {

inline void check_nccl(ncclResult_t result, char const* call) {
  if (result != ncclSuccess)
    throw std::runtime_error(std::string("carroll::distributed: ") + call + ": " +
                             ncclGetErrorString(result));
}

/// One rank's end. Moves, is not copied.
class Nccl {
 public:
  Nccl() = default;
  Nccl(Nccl const&) = delete;
  Nccl& operator=(Nccl const&) = delete;
  ~Nccl() {
    if (comm_) ncclCommDestroy(comm_);
  }

  /// Collective. Every rank must have a device of its own.
  void init(MPI_Comm comm, int rank, int size) {
    ncclUniqueId id;
    if (rank == 0) check_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, comm);
    check_nccl(ncclCommInitRank(&comm_, size, id, rank), "ncclCommInitRank");
    rank_ = rank;
  }
  /// The end of one of the ranks of `whole` that give the same colour. Collective; takes a
  /// hundredth of the time.
  void split(Nccl const& whole, int colour, int key, int rank) {
    check_nccl(ncclCommSplit(whole.comm_, colour, key, &comm_, nullptr), "ncclCommSplit");
    rank_ = rank;
  }
  explicit operator bool() const { return comm_ != nullptr; }

  void broadcast(cudaStream_t stream, std::byte* data, std::int64_t bytes, int root) const {
    check_nccl(
        ncclBroadcast(data, data, static_cast<std::size_t>(bytes), ncclInt8, root, comm_, stream),
        "ncclBroadcast");
  }
  void send(cudaStream_t stream, std::byte const* data, std::int64_t bytes, int to) const {
    check_nccl(ncclSend(data, static_cast<std::size_t>(bytes), ncclInt8, to, comm_, stream),
               "ncclSend");
  }
  void receive(cudaStream_t stream, std::byte* data, std::int64_t bytes, int from) const {
    check_nccl(ncclRecv(data, static_cast<std::size_t>(bytes), ncclInt8, from, comm_, stream),
               "ncclRecv");
  }
  void all_gather(cudaStream_t stream, std::byte const* mine, std::byte* all,
                  std::span<std::int64_t const> lengths) const {
    bool same = true;
    for (auto length : lengths) same = same && length == lengths.front();
    if (same) {
      check_nccl(ncclAllGather(mine, all, static_cast<std::size_t>(lengths.front()), ncclInt8,
                               comm_, stream),
                 "ncclAllGather");
      return;
    }
    auto const places = begins<std::int64_t>(lengths);
    check_nccl(ncclGroupStart(), "ncclGroupStart");
    for (std::size_t r = 0; r < lengths.size(); ++r)
      check_nccl(ncclBroadcast(mine, all + places[r], static_cast<std::size_t>(lengths[r]),
                               ncclInt8, static_cast<int>(r), comm_, stream),
                 "ncclBroadcast");
    check_nccl(ncclGroupEnd(), "ncclGroupEnd");
  }
  /// Each rank's bytes to `root`, or, with `away`, from it.
  void move_parts(cudaStream_t stream, std::byte* mine, std::byte* all,
                  std::span<std::int64_t const> lengths, int root, bool away) const {
    auto const places = begins<std::int64_t>(lengths);
    check_nccl(ncclGroupStart(), "ncclGroupStart");
    if (rank_ == root) {
      for (std::size_t r = 0; r < lengths.size(); ++r)
        if (away)
          send(stream, all + places[r], lengths[r], static_cast<int>(r));
        else
          receive(stream, all + places[r], lengths[r], static_cast<int>(r));
    }
    std::int64_t const bytes = lengths[static_cast<std::size_t>(rank_)];
    if (away)
      receive(stream, mine, bytes, root);
    else
      send(stream, mine, bytes, root);
    check_nccl(ncclGroupEnd(), "ncclGroupEnd");
  }

 private:
  ncclComm_t comm_ = nullptr;
  int rank_ = 0;
};

}  // namespace carroll::distributed::detail

#endif
