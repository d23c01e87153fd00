// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/allocate.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "distributed/rank_bench.hpp"

/// The link between ranks: its latency and bandwidth, and what the wrapper costs beside raw calls.
namespace carroll::perf {

enum class LinkCall { broadcast, all_gather, ping_pong };

/// The wrapper's, by the communicator's transport.
class WrappedLink : public RankContender {
 public:
  WrappedLink(Ranks const& ranks, LinkCall call, std::int64_t bytes)
      : ranks_(ranks),
        call_(call),
        bytes_(bytes),
        mine_(detail::allocate<Buffer>(ranks.exec(), "carroll::perf::mine", bytes)),
        all_(detail::allocate<Buffer>(ranks.exec(), "carroll::perf::all",
                                      call == LinkCall::all_gather ? bytes * ranks.size() : 0)) {
    Kokkos::deep_copy(ranks.exec(), mine_, std::byte(ranks.rank()));
  }
  void run() override {
    for (int c = 0; c < calls(); ++c) once();
  }
  [[nodiscard]] int calls() const override {
    return bytes_ <= 65536 ? 50 : bytes_ <= (1 << 22) ? 8 : 2;
  }
  /// That a rank receives.
  [[nodiscard]] double bytes() const override {
    return static_cast<double>(bytes_) * (call_ == LinkCall::all_gather  ? ranks_.size() - 1
                                          : call_ == LinkCall::ping_pong ? 2
                                                                         : 1);
  }

 protected:
  using Buffer = Kokkos::View<std::byte*, Exec>;

  virtual void once() {
    switch (call_) {
      case LinkCall::broadcast: return ranks_.broadcast(mine_.data(), bytes_, 0);
      case LinkCall::all_gather: return ranks_.all_gather(mine_.data(), all_.data(), bytes_);
      case LinkCall::ping_pong:
        if (ranks_.rank() == 0) {
          ranks_.send(mine_.data(), bytes_, 1);
          ranks_.receive(mine_.data(), bytes_, 1);
        } else if (ranks_.rank() == 1) {
          ranks_.receive(mine_.data(), bytes_, 0);
          ranks_.send(mine_.data(), bytes_, 0);
        }
    }
  }

  Ranks ranks_;
  LinkCall call_;
  std::int64_t bytes_;
  Buffer mine_, all_;
};

/// MPI itself, of a device by way of pinned memory.
class RawMpiLink : public WrappedLink {
 public:
  RawMpiLink(Ranks const& ranks, LinkCall call, std::int64_t bytes)
      : WrappedLink(ranks, call, bytes) {
    if (on_device) {
      host_mine_ = Pinned("carroll::perf::host_mine", mine_.extent(0));
      host_all_ = Pinned("carroll::perf::host_all", all_.extent(0));
    }
  }

 protected:
  using Pinned = Kokkos::View<std::byte*, Kokkos::SharedHostPinnedSpace>;

  void once() override {
    bool const gathers = call_ == LinkCall::all_gather, sends = gathers || ranks_.rank() == 0;
    if (on_device && sends) Kokkos::deep_copy(ranks_.exec(), host_mine_, mine_);
    ranks_.exec().fence();
    int const count = static_cast<int>(bytes_);
    auto* const mine = on_device ? host_mine_.data() : mine_.data();
    if (gathers)
      MPI_Allgather(mine, count, MPI_BYTE, on_device ? host_all_.data() : all_.data(), count,
                    MPI_BYTE, ranks_.raw());
    else
      MPI_Bcast(mine, count, MPI_BYTE, 0, ranks_.raw());
    if (on_device && gathers) Kokkos::deep_copy(ranks_.exec(), all_, host_all_);
    if (on_device && !sends) Kokkos::deep_copy(ranks_.exec(), mine_, host_mine_);
    ranks_.exec().fence();
  }

 private:
  Pinned host_mine_, host_all_;
};

#ifdef CARROLL_HAVE_NCCL
/// NCCL itself.
class RawNcclLink : public WrappedLink {
 public:
  RawNcclLink(Ranks const& ranks, LinkCall call, std::int64_t bytes)
      : WrappedLink(ranks, call, bytes) {
    ncclUniqueId id;
    if (ranks.rank() == 0) ncclGetUniqueId(&id);
    id = ranks.broadcast_value(id, 0);
    ncclCommInitRank(&comm_, ranks.size(), id, ranks.rank());
  }
  ~RawNcclLink() override { ncclCommDestroy(comm_); }

 protected:
  void once() override {
    auto const count = static_cast<std::size_t>(bytes_);
    auto const stream = ranks_.exec().cuda_stream();
    if (call_ == LinkCall::all_gather)
      ncclAllGather(mine_.data(), all_.data(), count, ncclInt8, comm_, stream);
    else
      ncclBroadcast(mine_.data(), mine_.data(), count, ncclInt8, 0, comm_, stream);
  }

 private:
  ncclComm_t comm_ = nullptr;
};
#endif

inline void plan_link(RankBench& bench, Sizes const& sizes) {
  std::vector<int> several;
  for (int const p : bench.rank_numbers())
    if (p > 1) several.push_back(p);
  auto const over = [](Ranks const& ranks, distributed::Transport transport) {
    return Ranks::duplicate_from_raw(ranks.raw(), ranks.exec(), {transport});
  };
  auto const add = [&]<class Link>(std::type_identity<Link>, char const* method, LinkCall call,
                                   std::int64_t bytes, distributed::Transport transport,
                                   std::vector<int> const& numbers) {
    char const* const function = call == LinkCall::broadcast    ? "broadcast/"
                                 : call == LinkCall::all_gather ? "all_gather/"
                                                                : "ping_pong/";
    bench.plan(function + std::to_string(bytes) + "/" + method,
               [=](Ranks const& ranks) -> std::unique_ptr<RankContender> {
                 return std::make_unique<Link>(over(ranks, transport), call, bytes);
               },
               numbers, {transport});
  };
  using distributed::Transport;
  if (several.empty()) return;
  for (std::int64_t bytes = 8; bytes <= sizes.most_bytes; bytes *= 8) {
    add(std::type_identity<WrappedLink>(), "mpi_wrapper", LinkCall::ping_pong, bytes,
        Transport::mpi, {2});
    for (LinkCall const call : {LinkCall::broadcast, LinkCall::all_gather}) {
      add(std::type_identity<RawMpiLink>(), "mpi_raw", call, bytes, Transport::mpi, several);
      add(std::type_identity<WrappedLink>(), "mpi_wrapper", call, bytes, Transport::mpi, several);
    }
  }
#ifdef CARROLL_HAVE_NCCL
  if (bench.world().transport() != Transport::nccl) return;
  for (std::int64_t bytes = 8; bytes <= sizes.most_bytes; bytes *= 8) {
    add(std::type_identity<WrappedLink>(), "nccl_wrapper", LinkCall::ping_pong, bytes,
        Transport::nccl, {2});
    for (LinkCall const call : {LinkCall::broadcast, LinkCall::all_gather}) {
      add(std::type_identity<RawNcclLink>(), "nccl_raw", call, bytes, Transport::nccl, several);
      add(std::type_identity<WrappedLink>(), "nccl_wrapper", call, bytes, Transport::nccl, several);
    }
  }
#endif
}

}  // namespace carroll::perf
