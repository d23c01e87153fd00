// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/stream_fork.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/distributed/detail/mpi.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

/// What the owner of a step tells all others, while these still work with the step before.
namespace carroll::distributed::detail {

struct Message {
  std::byte* data = nullptr;
  std::int64_t bytes = 0;
};

/// A piece of the workspace for messages.
struct MessageBuffer {
  std::byte* data = nullptr;
  void lay_out(carroll::detail::Arena& arena, std::int64_t bytes) {
    data = arena.take<std::byte>(bytes);
  }
};

/// Broadcasts in memory of the host that go on beside other work, as long as somebody asks for them
/// now and then: MPI moves nothing by itself.
template <class ExecSpace>
class HostChannel {
 public:
  explicit HostChannel(Communicator<ExecSpace> const& comm) : comm_(comm.raw()) {}

  /// work(poll), while the message goes from `root` to all.
  template <class Work>
  void send_beside(Message const& message, int root, Work const& work) {
    by_pieces(message.bytes, most_mpi_bytes, [&](std::int64_t at, int count) {
      MPI_Ibcast(message.data + at, count, MPI_BYTE, root, comm_, &requests_.emplace_back());
    });
    auto const count = static_cast<int>(requests_.size());
    work([&] {
      int done = 0;
      MPI_Testall(count, requests_.data(), &done, MPI_STATUSES_IGNORE);
    });
    MPI_Waitall(count, requests_.data(), MPI_STATUSES_IGNORE);
    requests_.clear();
  }

 private:
  MPI_Comm comm_;
  std::vector<MPI_Request> requests_;
};

/// The same on a device: work is only enqueued, on the caller's instance, and the message goes on
/// one of its own.
template <class ExecSpace>
class DeviceChannel {
 public:
  /// `side`: a communicator on the instance that `fork` gives.
  DeviceChannel(ExecSpace const& exec, carroll::detail::StreamFork<ExecSpace> const& fork,
                Communicator<ExecSpace> const& side)
      : exec_(exec), fork_(fork), side_(side) {}

  template <class Work>
  void send_beside(Message const& message, int root, Work const& work) {
    fork_.fork(exec_);  // nobody reads what has been in the message's place any more
    work([] {});
    side_.broadcast(message.data, message.bytes, root);
    fork_.join(exec_);
  }

 private:
  ExecSpace exec_;
  carroll::detail::StreamFork<ExecSpace> fork_;
  Communicator<ExecSpace> side_;
};

}  // namespace carroll::distributed::detail
