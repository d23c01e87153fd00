// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/distributed/detail/agree.hpp>
#include <carroll/distributed/detail/mpi.hpp>
#include <carroll/distributed/detail/state.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

/// Ranks that work together, each with an instance of the execution space:
///
///   auto const comm = carroll::distributed::Communicator<>::duplicate_from_raw(MPI_COMM_WORLD);
///   auto const info = carroll::distributed::sum(comm, x);      // x: this rank's part
///
/// The shape is KokkosComm's. Every function with an MPI_Comm behind it is collective: all ranks
/// call it, in the same order. What fails in MPI is for the error handler of the MPI_Comm, which by
/// default ends all ranks.
namespace carroll::distributed {

/// How memory of a device goes to other ranks.
enum class Transport {
  automatic,  ///< NCCL where it is there and each of several ranks has a device for itself, or MPI
  mpi,        ///< through memory of the host: MPI need not know devices
  nccl,       ///< directly; needs a build with NCCL, CUDA, and a device for every rank
};

struct CommunicatorOptions {
  Transport transport = Transport::automatic;
};

template <ExecutionSpace ExecSpace = Kokkos::DefaultExecutionSpace>
class Communicator {
  using State = detail::CommunicatorState<ExecSpace>;

 public:
  using execution_space = ExecSpace;

  /// A communicator of its own for the ranks of `raw`, which stays the caller's; work goes to
  /// `exec`. Collective. Throws std::invalid_argument on every rank for a transport that cannot be
  /// had.
  [[nodiscard]] static Communicator duplicate_from_raw(MPI_Comm raw,
                                                       ExecSpace const& exec = ExecSpace(),
                                                       CommunicatorOptions const& options = {}) {
    Communicator result(std::make_shared<State>(raw, exec));
    result.choose(options.transport);
    return result;
  }

  [[nodiscard]] int rank() const { return state_->rank; }
  [[nodiscard]] int size() const { return state_->size; }
  [[nodiscard]] MPI_Comm raw() const { return state_->comm; }
  [[nodiscard]] ExecSpace const& exec() const { return state_->exec; }
  /// mpi or nccl.
  [[nodiscard]] Transport transport() const {
    return uses_nccl() ? Transport::nccl : Transport::mpi;
  }

  /// One of the ranks that give the same colour, in the order of their keys. Collective.
  [[nodiscard]] Communicator split(int colour, int key) const {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(raw(), colour, key, &part);
    Communicator const result(std::make_shared<State>(part, exec()));
    MPI_Comm_free(&part);
#ifdef CARROLL_HAVE_NCCL
    if constexpr (State::has_nccl)
      if (uses_nccl()) result.state_->nccl.split(state_->nccl, colour, key, result.rank());
#endif
    return result;
  }

  // --- values of the host: blocking ---

  template <class T>
  [[nodiscard]] std::vector<T> all_gather_value(T const& mine) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(static_cast<std::size_t>(size()));
    MPI_Allgather(&mine, int{sizeof(T)}, MPI_BYTE, all.data(), int{sizeof(T)}, MPI_BYTE, raw());
    return all;
  }
  template <class T>
  [[nodiscard]] T broadcast_value(T value, int root) const {
    static_assert(std::is_trivially_copyable_v<T>);
    MPI_Bcast(&value, int{sizeof(T)}, MPI_BYTE, root, raw());
    return value;
  }

  /// counts[r] values from each rank r, in rank order.
  template <class T>
  [[nodiscard]] std::vector<T> all_gather_values(std::span<T const> mine,
                                                 std::span<std::int64_t const> counts) const {
    std::vector<T> all(static_cast<std::size_t>(detail::total(counts)));
    detail::all_gather_bytes(raw(), rank(), as_bytes(mine.data()), as_bytes(all.data()),
                             bytes_of<T>(counts));
    return all;
  }

  /// Runs `check`, which may throw, on every rank. Where one has thrown, every rank does: that one
  /// its own exception, the others RankError with the message of the first. Throws
  /// std::invalid_argument on all of them where their signatures differ, which stand for what must
  /// be the same everywhere: options, extents. One MPI_Allreduce of 24 bytes. What can throw is
  /// done in here, before the first message: so no rank waits for one that has left.
  template <class Check>
  void agree(char const* function, std::uint64_t signature, Check const& check) const {
    detail::agree(raw(), function, signature, check);
  }

  // --- contiguous memory that kernels can access ---

  // In order with the work of exec(): what it has been given is done before, what it is given later
  // after. With MPI they fence exec() and return when they are done; with NCCL, or one rank, they
  // only enqueue.

  /// data[0 … count - 1] of `root` to all.
  template <class T>
  void broadcast(T* data, std::int64_t count, int root) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::int64_t const bytes = count * std::int64_t{sizeof(T)};
    if (size() == 1 || bytes == 0) return;
    if (uses_nccl())
      return with_nccl([&](auto const& n, auto s) { n.broadcast(s, as_bytes(data), bytes, root); });
    if constexpr (State::on_host) {
      state_->fence();
      detail::broadcast_bytes(raw(), as_bytes(data), bytes, root);
    } else {
      std::byte* const host = state_->staging(std::min(bytes, piece));
      detail::by_pieces(bytes, piece, [&](std::int64_t at, int part) {
        if (rank() == root) state_->to_host(host, as_bytes(data) + at, part);
        detail::broadcast_bytes(raw(), host, part, root);
        if (rank() != root) state_->from_host(as_bytes(data) + at, host, part);
      });
    }
  }

  /// `count` from each rank, to all, in rank order. `mine` may be its place in `all` with NCCL
  /// only.
  template <class T>
  void all_gather(T const* mine, T* all, std::int64_t count) const {
    std::vector<std::int64_t> const counts(static_cast<std::size_t>(size()), count);
    all_gather_v(mine, all, counts);
  }

  /// counts[r] from each rank r, to all, in rank order. `mine` is its place in `all`, on all ranks,
  /// or nowhere in it.
  template <class T>
  void all_gather_v(T const* mine, T* all, std::span<std::int64_t const> counts) const {
    auto const lengths = bytes_of<T>(counts);
    if (is_alone()) return state_->copy(as_bytes(all), as_bytes(mine), my(lengths));
    if (uses_nccl())
      return with_nccl(
          [&](auto const& n, auto s) { n.all_gather(s, as_bytes(mine), as_bytes(all), lengths); });
    staged(mine, my(lengths), all, detail::total(lengths), true,
           [&](std::byte const* from, std::byte* to) {
             detail::all_gather_bytes(raw(), rank(), from, to, lengths);
           });
  }

  /// The same to `root` alone; `all` is not looked at by the others.
  template <class T>
  void gather_v(T const* mine, T* all, std::span<std::int64_t const> counts, int root) const {
    auto const lengths = bytes_of<T>(counts);
    if (is_alone()) return state_->copy(as_bytes(all), as_bytes(mine), my(lengths));
    if (uses_nccl())
      return with_nccl([&](auto const& n, auto s) {
        n.move_parts(s, const_cast<std::byte*>(as_bytes(mine)), as_bytes(all), lengths, root,
                     false);
      });
    bool const here = rank() == root;
    staged(mine, my(lengths), all, here ? detail::total(lengths) : 0, here,
           [&](std::byte const* from, std::byte* to) {
             detail::gather_bytes(raw(), rank(), from, to, lengths, root);
           });
  }

  /// counts[r] from `root` to each rank r; `all` is not looked at by the others.
  template <class T>
  void scatter_v(T const* all, T* mine, std::span<std::int64_t const> counts, int root) const {
    auto const lengths = bytes_of<T>(counts);
    if (is_alone()) return state_->copy(as_bytes(mine), as_bytes(all), my(lengths));
    if (uses_nccl())
      return with_nccl([&](auto const& n, auto s) {
        n.move_parts(s, as_bytes(mine), const_cast<std::byte*>(as_bytes(all)), lengths, root, true);
      });
    staged(all, rank() == root ? detail::total(lengths) : 0, mine, my(lengths), true,
           [&](std::byte const* from, std::byte* to) {
             detail::scatter_bytes(raw(), rank(), from, to, lengths, root);
           });
  }

  template <class T>
  void send(T const* data, std::int64_t count, int to) const {
    std::int64_t const bytes = count * std::int64_t{sizeof(T)};
    if (uses_nccl())
      return with_nccl([&](auto const& n, auto s) { n.send(s, as_bytes(data), bytes, to); });
    staged(data, bytes, static_cast<T*>(nullptr), 0, false,
           [&](std::byte const* from, std::byte*) { detail::send_bytes(raw(), from, bytes, to); });
  }
  template <class T>
  void receive(T* data, std::int64_t count, int from) const {
    std::int64_t const bytes = count * std::int64_t{sizeof(T)};
    if (uses_nccl())
      return with_nccl([&](auto const& n, auto s) { n.receive(s, as_bytes(data), bytes, from); });
    staged(static_cast<T const*>(nullptr), 0, data, bytes, true,
           [&](std::byte const*, std::byte* to) { detail::receive_bytes(raw(), to, bytes, from); });
  }

 private:
  explicit Communicator(std::shared_ptr<State> state) : state_(std::move(state)) {}

  void choose([[maybe_unused]] Transport wanted) {
    constexpr char const* function = "carroll::distributed::Communicator";
    agree(function, static_cast<std::uint64_t>(wanted), [&] {
      if (wanted == Transport::nccl && !State::has_nccl)
        throw std::invalid_argument(
            std::string(function) +
            ": options.transport is nccl, which needs CUDA and a build with NCCL");
    });
    if constexpr (State::has_nccl) {
      if (wanted == Transport::mpi || (size() == 1 && wanted == Transport::automatic)) return;
      bool const possible = state_->devices_differ();
      if (possible) return state_->nccl.init(raw(), rank(), size());
      if (wanted == Transport::nccl)
        throw std::invalid_argument(
            std::string(function) +
            ": options.transport is nccl, but ranks share a device; give each one of its own, or "
            "use Transport::mpi");
    }
  }

  [[nodiscard]] bool is_alone() const {
    return size() == 1 && !uses_nccl();
  }
  [[nodiscard]] bool uses_nccl() const {
#ifdef CARROLL_HAVE_NCCL
    return bool(state_->nccl);
#else
    return false;
#endif
  }
  template <class F>
  void with_nccl([[maybe_unused]] F const& f) const {
    if constexpr (State::has_nccl) f(state_->nccl, exec().cuda_stream());
  }

  template <class T>
  static auto as_bytes(T* data) {
    using Byte = std::conditional_t<std::is_const_v<T>, std::byte const, std::byte>;
    return reinterpret_cast<Byte*>(data);
  }
  template <class T>
  static std::vector<std::int64_t> bytes_of(std::span<std::int64_t const> counts) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<std::int64_t> lengths(counts.begin(), counts.end());
    for (auto& length : lengths) length *= std::int64_t{sizeof(T)};
    return lengths;
  }
  [[nodiscard]] std::int64_t my(std::span<std::int64_t const> lengths) const {
    return lengths[static_cast<std::size_t>(rank())];
  }

  /// message(from, to) with `in_bytes` at `from` and room for `out_bytes` at `to`, in memory of the
  /// host, with copies where kernels' memory is another one.
  template <class T, class Message>
  void staged(T const* in, std::int64_t in_bytes, T* out, std::int64_t out_bytes, bool receives,
              Message const& message) const {
    if constexpr (State::on_host) {
      state_->fence();
      message(as_bytes(in), as_bytes(out));
    } else {
      std::byte* const host = state_->staging(in_bytes + out_bytes);
      if (in_bytes > 0) state_->to_host(host, as_bytes(in), in_bytes);
      message(host, host + in_bytes);
      if (receives && out_bytes > 0) state_->from_host(as_bytes(out), host + in_bytes, out_bytes);
    }
  }

  static constexpr std::int64_t piece = std::int64_t{1} << 23;  ///< of what is broadcast
  std::shared_ptr<State> state_;
};

}  // namespace carroll::distributed
