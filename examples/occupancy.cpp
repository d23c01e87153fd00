#include <Kokkos_Core.hpp>
#include <carroll/occupancy/launch.hpp>
#include <cstdio>

struct Products {
  Kokkos::View<double**> x;
  KOKKOS_FUNCTION void operator()(Kokkos::TeamPolicy<>::member_type const& team) const {
    int const i = team.league_rank();
    for (int j = team.team_rank(); j < x.extent_int(1); j += team.team_size()) x(i, j) = i * j;
  }
};

int main(int argc, char** argv) {
  // Of any kernel on any GPU, from what its compiler tells.
  auto const found =
      carroll::occupancy(carroll::device_named("H200").capability,
                         {.threads = 256, .registers_per_thread = 64, .scratch_bytes = 16 * 1024});
  std::printf("H200: %d blocks, %.0f %% of the warps, limited by %s\n", found.blocks,
              100 * found.fraction(), to_string(found.limiter).data());

  // Of a kernel of Kokkos where it runs.
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Products const products{Kokkos::View<double**>("x", 200, 1000)};
  Kokkos::TeamPolicy<> const policy(200, Kokkos::AUTO);
  auto const shape = carroll::launch_shape(products, policy);
  std::printf("%s: %d teams of %d x %d\n", shape.space.c_str(), shape.league_size, shape.team_size,
              shape.vector_length);
  for (auto const& time : carroll::measure_team_sizes(products, policy))
    std::printf("team size %4d: %.1f us\n", time.team_size, 1e6 * time.seconds);
}
