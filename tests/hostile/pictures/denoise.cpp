// SPDX-License-Identifier: BSD-3-Clause
// Pictures and matrices that nobody chose: denoised, each against its definition where that takes
// no time, against itself in another layout bit by bit, and taken apart.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/denoise.hpp>
#include <carroll/denoise_frames.hpp>
#include <carroll/robust_pca.hpp>
#include <cmath>
#include <gemm_instances.hpp>
#include <limits>
#include <reduction_instances.hpp>
#include <sstream>
#include <string>
#include <svd_instances.hpp>
#include <vector>

#include "hostile/round.hpp"
#include "pictures/denoise/plain.hpp"

namespace carroll::test {

std::string_view const hostile_name = "hostile_denoise";
std::string_view const hostile_about =
    "Pictures, frames and matrices of random kinds, against definitions and themselves.";
std::string_view const hostile_kinds = "picture,frames,matrix";

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Rows2 = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
using Columns2 = Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace>;
using Rows3 = Kokkos::View<double***, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// Mostly small numbers, some up to `most`.
int some_up_to(Random& random, int most) {
  return std::max(1, static_cast<int>(std::pow(most, random.uniform())));
}

Rows2 random_picture(Random& random, int height, int width, std::string& name) {
  Rows2 const picture("carroll_test::picture", height, width);
  int const kind = random.index(6);
  double const scale = std::pow(2.0, random.index(60) - 30);
  double const phase = random.uniform(), slope = random.symmetric();
  char const* const names[] = {"noise", "constant", "waves", "two levels", "one pixel", "ramp"};
  name = names[kind];
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      double value = 0;
      if (kind == 0) value = 100 * random.normal();
      if (kind == 1) value = 100 * phase;
      if (kind == 2) value = 100 * std::sin(phase * x + slope * y) + 3 * random.normal();
      if (kind == 3) value = random.chance(0.5) ? 255 : 0;
      if (kind == 4) value = x == width / 2 && y == height / 2 ? 255 : 0;
      if (kind == 5) value = slope * x + phase * y;
      picture(y, x) = value * scale;
    }
  return picture;
}

double largest(Rows2 const& picture) {
  double most = 0;
  for (std::size_t i = 0; i < picture.size(); ++i)
    most = std::max(most, std::abs(picture.data()[i]));
  return most;
}

void picture_round(Round& round) {
  Random& random = round.random;
  int const height = some_up_to(random, 40), width = some_up_to(random, 40);
  std::string kind;
  auto const picture = random_picture(random, height, width, kind);
  double const size = largest(picture);
  DenoiseOptions options;
  options.noise = random.chance(0.1) ? 0 : size * random.uniform() * 0.3;
  options.patch = 1 + random.index(random.chance(0.8) ? 5 : 12);
  options.step = 1 + random.index(6);
  options.window = 1 + random.index(20);
  options.members = 1 + random.index(random.chance(0.9) ? 30 : 256);
  options.fewer = random.index(20);
  options.iterations = random.index(4);
  options.searched_every = 1 + random.index(3);
  options.weight = 4 * random.uniform();
  std::ostringstream what;
  what << kind << ' ' << height << 'x' << width << ", noise " << options.noise << ", patch "
       << options.patch << ", step " << options.step << ", window " << options.window
       << ", members " << options.members << ", iterations " << options.iterations << ": ";
  Columns2 const turned("carroll_test::turned", height, width),
      turned_result("carroll_test::result", height, width);
  Rows2 const result("carroll_test::result", height, width);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) turned(y, x) = picture(y, x);
  auto const info = denoise(Exec(), picture, result, options);
  Kokkos::View<DenoiseInfo, Kokkos::HostSpace> const other("carroll_test::info");
  auto const workspace = denoise_workspace(Exec(), 1, height, width, options);
  denoise_async(Exec(), turned, turned_result, other, workspace);
  Exec().fence("carroll_test::done");
  round.expect(other().status == info.status && other().iterations == info.iterations,
               what.str() + "asynchronously, the info differs");
  round.expect(info.status == Status::success, what.str() + "no success");
  bool same = true, bounded = true;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      same = same && result(y, x) == turned_result(y, x);
      bounded = bounded && std::abs(result(y, x)) <= 4.1 * size + 1e-300;
    }
  round.expect(same, what.str() + "layouts differ");
  round.expect(bounded, what.str() + "is not finite, or far away");
  // One iteration has no choices that rounding could turn, unless distances are equal.
  if (kind == "noise" && options.iterations == 1 && options.noise > 0 && options.patch <= 4 &&
      options.members <= 30) {
    PlainDenoise plain(
        {picture.data(), picture.data() + picture.size()}, height, width,
        {options.noise, options.weight, options.feedback, options.residual, options.patch,
         options.step, options.window, options.members, options.fewer, 1, options.searched_every});
    auto const wanted = plain.run();
    double worst = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      worst = std::max(worst, std::abs(wanted[i] - result.data()[i]));
    // A singular value at the threshold keeps half of itself, or nothing.
    round.expect(
        worst <= 2e-4 * size || worst <= 1.5 * options.noise,
        what.str() + "is " + std::to_string(worst / size) + " of the largest from the definition");
  }
  picture(random.index(height), random.index(width)) = std::nan("");
  round.expect(denoise(Exec(), picture, result, options).status == Status::non_finite &&
                   std::isnan(result(0, 0)),
               what.str() + "a NaN is let through");
  round.checked(1);
}

void frames_round(Round& round) {
  Random& random = round.random;
  int const frames = some_up_to(random, 60), height = some_up_to(random, 20),
            width = some_up_to(random, 20);
  Rows3 const noisy("carroll_test::noisy", frames, height, width),
      result("carroll_test::result", frames, height, width);
  double const level = 100 * random.uniform(), noise = 10 * random.uniform();
  for (std::size_t i = 0; i < noisy.size(); ++i) noisy.data()[i] = level + noise * random.normal();
  FrameDenoiseOptions const options{noise, 1 + random.index(12), 1 + random.index(8)};
  auto const info = denoise_frames(Exec(), noisy, result, options);
  double before = 0, after = 0;
  for (std::size_t i = 0; i < noisy.size(); ++i) {
    before += std::pow(noisy.data()[i] - level, 2);
    after += std::pow(result.data()[i] - level, 2);
  }
  std::ostringstream what;
  what << "frames " << frames << 'x' << height << 'x' << width << ", patch " << options.patch
       << ": ";
  round.expect(info.status == Status::success, what.str() + "no success");
  round.expect(after <= 1.01 * before + 1e-6 * level * level, what.str() + "is noisier");
  round.checked(1);
}

void matrix_round(Round& round) {
  Random& random = round.random;
  int const rows = some_up_to(random, 120), columns = some_up_to(random, 120);
  int const rank = random.index(4);
  Rows2 const D("carroll_test::D", rows, columns), L("carroll_test::L", rows, columns),
      S("carroll_test::S", rows, columns);
  std::vector<double> u(static_cast<std::size_t>(4 * rows)),
      v(static_cast<std::size_t>(4 * columns));
  for (auto* factor : {&u, &v})
    for (double& x : *factor) x = random.normal();
  double const part = 0.2 * random.uniform(), scale = std::pow(2.0, random.index(200) - 100);
  double squares = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      for (int k = 0; k < rank; ++k)
        D(i, j) += u[static_cast<std::size_t>(4 * i + k)] * v[static_cast<std::size_t>(4 * j + k)];
      if (random.chance(part)) D(i, j) += 20 * random.normal();
      D(i, j) *= scale;
      squares += D(i, j) * D(i, j);
    }
  auto const info = robust_pca(Exec(), D, L, S, {.max_iterations = 100});
  double rest = 0;
  for (std::size_t i = 0; i < D.size(); ++i)
    rest += std::pow(D.data()[i] - L.data()[i] - S.data()[i], 2);
  std::ostringstream what;
  what << "matrix " << rows << 'x' << columns << " of rank " << rank << ", " << part << " sparse: ";
  round.expect(info.status == Status::success, what.str() + "no success");
  round.expect(std::sqrt(rest) <= 1.01e-7 * std::sqrt(squares), what.str() + "L + S is not D");
  round.checked(1);
}

}  // namespace

void hostile_round(Round& round, std::string_view kind) {
  if (kind == "picture") return picture_round(round);
  if (kind == "frames") return frames_round(round);
  if (kind == "matrix") return matrix_round(round);
  int const which = round.random.index(4);
  which < 2 ? picture_round(round) : which == 2 ? frames_round(round) : matrix_round(round);
}

}  // namespace carroll::test
