// SPDX-License-Identifier: BSD-3-Clause
// Launch bounds of the kernels that want several teams to a multiprocessor, on devices that have
// less of everything than those on which the numbers were measured.
#include <gtest/gtest.h>

#include <algorithm>
#include <carroll/detail/device/emulated/space.hpp>
// before the kernels
#include <carroll/detail/complex_svd/warp/kernel.hpp>
#include <carroll/detail/determinant/outer_block/columns.hpp>
#include <carroll/detail/determinant/outer_block/trsm.hpp>
#include <carroll/detail/determinant/row_panel/one_team/kernel.hpp>
#include <carroll/detail/determinant/row_panel/start.hpp>
#include <carroll/detail/determinant/warp/kernels.hpp>
#include <carroll/detail/eigh/divided/back.hpp>
#include <carroll/detail/eigh/divided/product.hpp>
#include <carroll/detail/eigh/warp/reduce.hpp>
#include <carroll/detail/eigh/warp/steps.hpp>
#include <carroll/detail/eigh/warp/vectors.hpp>
#include <carroll/detail/gemm/gemm.hpp>
#include <carroll/detail/pseudoinverse/core/kernel.hpp>
#include <carroll/detail/pseudoinverse/dispatch.hpp>
#include <carroll/detail/pseudoinverse/one_motion/tiles.hpp>
#include <carroll/detail/pseudoinverse/windows/segment_tiles.hpp>
#include <carroll/detail/qr/dispatch.hpp>
#include <carroll/detail/qr/slim/kernel.hpp>
#include <carroll/detail/qr/warp/kernel.hpp>
#include <carroll/detail/solve/tiled/finish.hpp>
#include <carroll/detail/solve/tiled/update.hpp>
#include <carroll/detail/solve/warp/kernel.hpp>
#include <carroll/detail/svd/dispatch.hpp>
#include <carroll/detail/svd/fused/kernel.hpp>
#include <carroll/detail/svd/gram/product.hpp>
#include <carroll/detail/svd/gram/sweeps.hpp>
#include <carroll/detail/svd/gram/together.hpp>
#include <carroll/detail/svd/slim/factor.hpp>
#include <carroll/detail/svd/warp/kernel.hpp>
#include <carroll/occupancy.hpp>
#include <string>

namespace {

using namespace carroll::detail;
using carroll::MultiprocessorLimits, carroll::to_string;
using Space = EmulatedSpace;

/// Would Kokkos launch teams of these bounds? Its rule, as cuda_deduce_block_size has it; what is
/// left for the system is no part of it.
bool kokkos_launches(MultiprocessorLimits const& device, int threads, int teams,
                     std::size_t scratch) {
  constexpr std::size_t word = 8;
  std::size_t const bytes =
      word + scratch + sizeof(double) * (static_cast<std::size_t>(threads) + 2);
  return teams * threads <= device.threads() && teams <= device.blocks &&
         static_cast<std::size_t>(device.scratch) / bytes >= static_cast<std::size_t>(teams);
}

/// Those that Kokkos 5 and the compilers of CUDA know.
template <class F>
void for_devices(F const& f) {
  for (auto const& device : carroll::known_capabilities())
    if (device.capability.major >= 5) f(device);
}

struct Residency : testing::Test {
  static inline int refused_as_wanted = 0, kernels = 0;

  template <int Threads, int Teams, std::size_t Scratch>
  static void expect_launch(char const* kernel, TeamBounds<Threads, Teams, Scratch> const*) {
    ++kernels;
    for_devices([&](MultiprocessorLimits const& device) {
      int const promised = teams_to_promise(device, Teams, Threads, Scratch);
      std::string const what = std::string(kernel) + " on " + to_string(device.capability);
      EXPECT_TRUE(kokkos_launches(device, Threads, promised, Scratch)) << what << ": " << promised;
      EXPECT_LE(promised, Teams) << what;
      // One more would not do, where fewer are promised than wanted.
      if (promised < Teams) {
        EXPECT_FALSE(resident_teams(device, Threads, Scratch) > promised) << what;
      }
      bool const as_wanted = kokkos_launches(device, Threads, Teams, Scratch);
      refused_as_wanted += as_wanted ? 0 : 1;
      // Devices for data centres, on which the numbers were measured, keep them all.
      if (device.capability == carroll::ComputeCapability{9, 0}) {
        EXPECT_EQ(promised, Teams) << what;
      }
    });
  }
  template <class... Properties>
  static void expect_policy(char const* kernel,
                            Kokkos::TeamPolicy<Space, Properties...> const* /*policy*/) {
    (expect_launch(kernel, static_cast<Properties const*>(nullptr)), ...);
  }
  template <class Kernel>
  static void expect(char const* kernel) {
    expect_policy(kernel, static_cast<typename Kernel::Policy const*>(nullptr));
  }
};

template <template <class> class Kernel, bool by_team, class... Shapes>
void expect_shapes(char const* name, ShapeList<by_team, Shapes...> const&) {
  (Residency::expect<Kernel<Shapes>>(name), ...);
}
template <template <class> class Kernel, class... Shapes>
void expect_shapes(char const* name, LaneShapeList<Shapes...> const&) {
  (Residency::expect<Kernel<Shapes>>(name), ...);
}
template <template <class> class Kernel, class... Shapes>
void expect_shapes(char const* name, QrSlimShapeList<Shapes...> const&) {
  (Residency::expect<Kernel<Shapes>>(name), ...);
}
template <template <class> class Kernel, class... Shapes>
void expect_shapes(char const* name, DividedShapeList<Shapes...> const&) {
  (Residency::expect<Kernel<Shapes>>(name), ...);
}

template <class T>
struct Of {
  template <class Shape>
  using Fused = FusedKernel<Space, T, Shape>;
  template <class Shape>
  using Warp = WholeWarpKernel<Space, T, Shape>;
  template <class Shape>
  using Slim = SlimFactorKernel<Space, T, Shape>;
  template <class Shape>
  using ComplexSvd = ComplexSvdWarpKernel<Space, T, Shape>;
  template <class Shape>
  using QrWarp = QrWarpKernel<Space, T, Shape, false>;
  template <class Shape>
  using QrSlim = QrSlimKernel<Space, T, Shape, false>;
  template <class Shape>
  using SolveWarp = SolveWarpKernel<Space, T, Shape, false>;
  template <class Shape>
  using Reduce = EighWarpReduceKernel<Space, T, Shape, true>;
  template <class Shape>
  using Vectors = EighWarpVectorsKernel<Space, T, Shape, true>;
  template <class Shape>
  using Steps = EighWarpStepsKernel<Space, T, Shape>;
  template <class Shape>
  using Back = DividedBackKernel<Space, T, Shape>;
};

template <class T>
class ResidencyOf : public Residency {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(ResidencyOf, Reals);

TYPED_TEST(ResidencyOf, Svd) {
  using T = TypeParam;
  expect_shapes<Of<T>::template Fused>("svd::fused", FusedClasses<T>());
  expect_shapes<Of<T>::template Warp>("svd::warp", WarpClasses());
  expect_shapes<Of<T>::template Slim>("svd::slim", QrSlimShapes());
  expect_shapes<Of<T>::template ComplexSvd>("complex_svd::warp", ComplexWarpShapes());
  this->template expect<GramRotateKernel<Space, T>>("svd::gram_rotate");
  this->template expect<GramProductKernel<Space, T, false>>("svd::gram_product");
  this->template expect<GramProductKernel<Space, T, true>>("svd::gram_product");
  this->template expect<GramTogetherKernel<Space, T>>("svd::gram_together");
}

TYPED_TEST(ResidencyOf, QrAndSolve) {
  using T = TypeParam;
  using C = Kokkos::complex<T>;
  expect_shapes<Of<T>::template QrWarp>("qr::warp", QrShapes());
  expect_shapes<Of<C>::template QrWarp>("qr::warp", QrShapes());
  expect_shapes<Of<T>::template QrSlim>("qr::slim", QrSlimShapes());
  expect_shapes<Of<T>::template SolveWarp>("solve::warp", SolveShapes());
  expect_shapes<Of<C>::template SolveWarp>("solve::warp", SolveShapes());
  this->template expect<SolveTileFinishKernel<Space, T>>("solve::finish");
  this->template expect<SolveTileFinishKernel<Space, C>>("solve::finish");
  this->template expect<SolveTileUpdateKernel<Space, T, 32>>("solve::update");
  this->template expect<SolveTileUpdateKernel<Space, C, 32>>("solve::update");
}

TYPED_TEST(ResidencyOf, Eigh) {
  using T = TypeParam;
  using C = Kokkos::complex<T>;
  expect_shapes<Of<T>::template Reduce>("eigh::reduce", EighShapes());
  expect_shapes<Of<C>::template Reduce>("eigh::reduce", EighShapes());
  expect_shapes<Of<T>::template Steps>("eigh::steps", EighShapes());
  expect_shapes<Of<T>::template Vectors>("eigh::vectors", EighShapes());
  expect_shapes<Of<C>::template Vectors>("eigh::vectors", EighShapes());
  expect_shapes<Of<T>::template Back>("eigh::divided_back", DividedShapes());
  this->template expect<DividedProductKernel<Space, T, 16>>("eigh::divided_product");
  this->template expect<DividedProductKernel<Space, T, 32>>("eigh::divided_product");
}

TYPED_TEST(ResidencyOf, Determinant) {
  using T = TypeParam;
  using Group = RegisterShape<T, 8, 3>;
  this->template expect<DeterminantStreamKernel<Space, T, 8>>("determinant::stream");
  this->template expect<DeterminantGroupKernel<Space, T, 16, Group>>("determinant::groups");
  this->template expect<RowPanelMatrixKernel<Space, T, 16, 1>>("determinant::one_team");
  this->template expect<RowPanelMatrixKernel<Space, T, 16, 4>>("determinant::one_team");
  this->template expect<RowPanelStartKernel<Space, T>>("determinant::start");
  this->template expect<OuterBlockTrsmKernel<Space, T>>("determinant::fold");
  this->template expect<OuterBlockColumnsKernel<Space, T, 32>>("determinant::columns");
}

TYPED_TEST(ResidencyOf, Pseudoinverse) {
  using T = TypeParam;
  using Rows = StoredRows<true>;
  using Lengths = OneMotionWindowRows<sizeof(T) == sizeof(float)>;
  this->template expect<OneMotionTilesKernel<Space, T, Rows, Lengths::longest / 32>>(
      "pseudoinverse::one_motion");
  this->template expect<OneMotionTilesKernel<Space, T, StoredRows<false>, Lengths::longest / 32>>(
      "pseudoinverse::one_motion");
  this->template expect<SegmentTilesKernel<Space, T, 2, Rows>>("pseudoinverse::segments");
  this->template expect<SegmentTilesKernel<Space, T, 6, Rows>>("pseudoinverse::segments");
  this->template expect<TilesCoreKernel<Space, T, 6>>("pseudoinverse::core");
}

TYPED_TEST(ResidencyOf, Products) {
  using T = TypeParam;
  this->template expect<GemmTileKernel<Space, T, GemmTile<128, 64, 8, 8, 8>>>("gemm");
  this->template expect<GemmTileKernel<Space, T, GemmTile<64, 64, 16, 8, 4>>>("gemm");
}

/// What is wanted is more than some devices have: without smaller promises there is none for these.
TEST_F(Residency, SomeDevicesRefuseWhatIsWanted) {
  expect<FusedKernel<Space, double, WarpShape<64, 16, 4, 4, 3>>>("svd::fused");
  EXPECT_GT(refused_as_wanted, 0);
  EXPECT_GT(kernels, 0);
}

TEST(ResidentTeams, AreLimitedByWhatThereIsLeastOf) {
  auto const turing = limits_to_keep(75), hopper = limits_to_keep(90), orin = limits_to_keep(87);
  EXPECT_EQ(resident_teams(turing, 512, 0), 2);          // 1024 threads
  EXPECT_EQ(resident_teams(turing, 32, 0), 16);          // places
  EXPECT_EQ(resident_teams(turing, 128, 40 * 1024), 1);  // 64 KiB
  EXPECT_EQ(resident_teams(orin, 128, 40 * 1024), 3);    // 164 KiB
  EXPECT_EQ(resident_teams(hopper, 128, 40 * 1024), 5);  // 228 KiB
  EXPECT_EQ(teams_to_promise(turing, 3, 256, 100 * 1024), 1);
  // 227 KiB, with what Kokkos and the system take, and not a byte more.
  std::size_t const most = 228 * 1024 - 1024 - (32 + 4) * sizeof(double);
  EXPECT_EQ(resident_teams(hopper, 32, most), 1);
  EXPECT_EQ(resident_teams(hopper, 32, most + 1), 0);
}

TEST(ResidentTeams, OfAnUnknownDeviceAreThoseOfAll) {
  auto const unknown = limits_to_keep(199);
  for_devices([&](MultiprocessorLimits const& device) {
    for (int const threads : {32, 128, 256, 512})
      for (std::size_t const scratch : {0, 4096, 20000, 40000})
        EXPECT_LE(resident_teams(unknown, threads, scratch),
                  resident_teams(device, threads, scratch))
            << to_string(device.capability);
  });
}

/// Teams that wait for one another: eight of 8192 rows in double precision, four in single.
TEST(ResidentTeams, ThatWaitForEachOtherHaveAMultiprocessorEach) {
  carroll::SvdOptions const svd;
  carroll::QrOptions const qr;
  auto const svd_rows = [&]<class T>(int processors, std::int64_t rows, T) {
    return svd_family_on<T>(Space{.processors = processors}, svd, rows, 64) == SvdFamily::tiled;
  };
  auto const qr_rows = [&]<class T>(int processors, std::int64_t rows, std::int64_t cols, T) {
    return qr_family_on<T>(Space{.processors = processors}, qr, rows, cols, false) !=
           QrFamily::team;
  };
  EXPECT_TRUE(svd_rows(8, 8192, 1.0));
  EXPECT_FALSE(svd_rows(7, 8192, 1.0));
  EXPECT_TRUE(svd_rows(7, 7168, 1.0));
  EXPECT_TRUE(svd_rows(4, 8192, 1.0F));
  EXPECT_FALSE(svd_rows(3, 8192, 1.0F));
  EXPECT_TRUE(svd_rows(1, 1024, 1.0));
  EXPECT_TRUE(qr_rows(8, 8192, 300, 1.0));
  EXPECT_FALSE(qr_rows(6, 8192, 300, 1.0));
  // Long matrices by blocks of 1024 rows: 512 triangles of 16 rows are those 8192 again.
  EXPECT_TRUE(qr_rows(8, 524288, 16, 1.0));
  EXPECT_FALSE(qr_rows(6, 524288, 16, 1.0));
  EXPECT_TRUE(qr_rows(1, 65536, 16, 1.0));
}

/// A launch that asks for more than its kernel says is what a test on a host can find.
struct GreedyKernel {
  using Policy = BoundedTeams<Space, 64, 2, 1024>;
  KOKKOS_FUNCTION void operator()(EmulatedMember const&) const {}
};
TEST(ResidentTeams, LaunchesKeepToTheirBounds) {
  Space const exec;
  GreedyKernel const kernel;
  EXPECT_NO_THROW(launch_teams("kept", exec, kernel, {1, 64, 1024}));
  EXPECT_THROW(launch_teams("more scratch", exec, kernel, {1, 64, 1025}), std::logic_error);
  EXPECT_THROW(launch_teams("more threads", exec, kernel, {1, 96, 1024}), std::logic_error);
}

}  // namespace
