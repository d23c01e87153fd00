#include <Kokkos_Core.hpp>
#include <carroll/distributed/blas/sum.hpp>
#include <carroll/distributed/environment.hpp>
#include <cstdint>
#include <cstdio>

/// A vector that ranks share: the sum has the same digits for every number of them. Start it with
/// mpirun -n 3.
int main(int argc, char** argv) {
  namespace distributed = carroll::distributed;
  return distributed::run(argc, argv, "ranks", [] {
    auto const comm = distributed::Communicator<>::duplicate_from_raw(MPI_COMM_WORLD);
    auto const layout = distributed::reduction_layout(comm.size(), 1'000'000);
    std::int64_t const begin = layout.begin(comm.rank());
    Kokkos::View<double*> x("x", layout.count(comm.rank()));
    Kokkos::parallel_for(
        x.extent(0),
        KOKKOS_LAMBDA(std::int64_t i) { x(i) = 1.0 / static_cast<double>(1 + begin + i); });
    auto const info = distributed::sum(comm, x);
    if (comm.rank() == 0) std::printf("%.16e\n", info.value);
    return info.status == carroll::Status::success ? 0 : 1;
  });
}
