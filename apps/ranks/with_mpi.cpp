// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <carroll/distributed/detail/agree.hpp>
#include <carroll/distributed/detail/meet.hpp>
#include <carroll/distributed/detail/mpi.hpp>
#include <chrono>
#include <exception>
#include <span>
#include <stdexcept>
#include <thread>

#include "ranks/ranks.hpp"

namespace carroll::tool {

namespace {

/// Waits for all ranks.
void meet(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm, &request);
  distributed::detail::wait_asleep(request);
}

}  // namespace

struct Ranks::Mpi {
  Mpi() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    comm = distributed::detail::first_meeting();
  }
  ~Mpi() {
    MPI_Comm_free(&comm);
    MPI_Finalize();
  }
  Mpi(Mpi const&) = delete;
  Mpi& operator=(Mpi const&) = delete;

  MPI_Comm comm = MPI_COMM_NULL;
};

Ranks::Ranks(std::optional<Launched> const& launched) {
  if (!launched || launched->size == 1) return;
  mpi_ = std::make_shared<Mpi const>();
  MPI_Comm_rank(mpi_->comm, &rank_);
  MPI_Comm_size(mpi_->comm, &size_);
  if (launched->size > 1 && size_ != launched->size) {
    throw std::runtime_error("the launcher has started " + std::to_string(launched->size) +
                             " processes, of which MPI finds " + std::to_string(size_) +
                             ": it is not the launcher of " + mpi_library());
  }
}

void Ranks::together(char const* what, std::uint64_t alike,
                     std::function<void()> const& work) const {
  if (!mpi_) return work();
  distributed::detail::agree(mpi_->comm, what, alike, [&] {
    std::exception_ptr error;
    try {
      work();
    } catch (...) {
      error = std::current_exception();
    }
    meet(mpi_->comm);
    if (error) std::rethrow_exception(error);
  });
}

int Ranks::first_alone(std::function<int()> const& work) const {
  int result = 0;
  together([&] {
    if (first()) result = work();
  });
  return static_cast<int>(of_first(std::int64_t{result}));
}

double Ranks::of_first(double value) const {
  if (mpi_) MPI_Bcast(&value, 1, MPI_DOUBLE, 0, mpi_->comm);
  return value;
}
std::int64_t Ranks::of_first(std::int64_t value) const {
  if (mpi_) MPI_Bcast(&value, 1, MPI_INT64_T, 0, mpi_->comm);
  return value;
}

std::vector<std::string> Ranks::gather(std::string const& mine) const {
  if (!mpi_) return {mine};
  MPI_Comm const comm = mpi_->comm;
  if (!first()) {
    auto const length = static_cast<std::int64_t>(mine.size());
    MPI_Send(&length, 1, MPI_INT64_T, 0, 0, comm);
    distributed::detail::send_bytes(comm, std::as_bytes(std::span(mine)).data(), length, 0);
    return {};
  }
  std::vector<std::string> all{mine};
  for (int rank = 1; rank < size_; ++rank) {
    std::int64_t length = 0;
    MPI_Recv(&length, 1, MPI_INT64_T, rank, 0, comm, MPI_STATUS_IGNORE);
    std::string text(static_cast<std::size_t>(length), '\0');
    distributed::detail::receive_bytes(comm, std::as_writable_bytes(std::span(text)).data(), length,
                                       rank);
    all.push_back(std::move(text));
  }
  return all;
}

int Ranks::fail(std::function<void()> const& tell) const {
  int const teller = distributed::detail::agreed_failure;
  bool const known = size_ == 1 || teller >= 0;
  // What goes wrong on several ranks at once the lowest of them tells, and ends the others.
  if (!known) std::this_thread::sleep_for(std::chrono::milliseconds(50) * std::min(rank_, 40));
  if (size_ == 1 || teller == rank_ || !known) tell();
  if (!known) MPI_Abort(MPI_COMM_WORLD, 2);
  return 2;
}

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string const all(text, static_cast<std::size_t>(length));
  std::string first_line = all.substr(0, all.find('\n'));
  std::ranges::replace(first_line, '\t', ' ');
  return first_line.substr(0, first_line.find(", package"));  // who has built Open MPI, and when
}

}  // namespace carroll::tool
