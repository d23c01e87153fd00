// SPDX-License-Identifier: BSD-3-Clause
// One host's and a team's kernels on the same stacks, against each other and by definition.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <carroll/detail/denoise/checks.hpp>
#include <carroll/detail/denoise/memory.hpp>
#include <cmath>
#include <vector>

#include "pictures/denoise/pictures.hpp"
#include "pictures/denoise/plain.hpp"

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using namespace carroll::detail;

struct Scene {
  static constexpr float noise = 10;
  StackProblem problem;
  std::vector<float> current;
  std::vector<std::int32_t> places;
  std::vector<double> sums, hits;

  Scene(int height, int width, int patch, int step, int window, int members,
        carroll::test::HostPicture const& picture) {
    problem = patches_of_plane(height, width, patch, step, window);
    problem.members = problem.stride = members_at_most(problem, members);
    problem.noise = &noise;
    problem.weight = 2.8F;
    auto const numbers = static_cast<std::size_t>(problem.layout.numbers());
    current.resize(numbers);
    sums.resize(numbers);
    hits.resize(numbers);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        current[static_cast<std::size_t>(problem.layout.at(y, x))] =
            static_cast<float>(picture(y, x));
    places.resize(static_cast<std::size_t>(problem.stacks() * problem.stride));
    problem.current = problem.noisy = current.data();
    problem.places = places.data();
    problem.sums = sums.data();
    problem.hits = hits.data();
  }
};

void match_by_workers(Scene& scene, int workers) {
  auto const& p = scene.problem;
  HostDenoiseNumbers const numbers(p.patch, p.stride, p.window);
  Kokkos::View<float*, Kokkos::HostSpace> const own("own", workers * numbers.most());
  int ticket = 0;
  HostMatchKernel const kernel(p, scene.places.data(), own.data(), numbers.most(), &ticket,
                               workers);
  for (int worker = 0; worker < workers; ++worker) kernel(worker);
}

void add_by_workers(Scene& scene, int workers) {
  auto const& p = scene.problem;
  HostDenoiseNumbers const numbers(p.patch, p.stride, p.window);
  std::int64_t const band = HostStackKernel::band_numbers(p, workers);
  Kokkos::View<float*, Kokkos::HostSpace> const own("own", workers * numbers.most());
  Kokkos::View<double*, Kokkos::HostSpace> const bands("bands", workers * band);
  int ticket = 0;
  HostStackKernel const kernel(p, own.data(), numbers.most(), bands.data(), band, &ticket, workers);
  for (int worker = 0; worker < workers; ++worker) kernel(worker);
}

template <class Kernel>
void by_teams(Kernel const& kernel) {
  Exec const exec;
  Kokkos::parallel_for("carroll_test::teams", kernel.policy(exec), kernel);
  exec.fence("carroll_test::teams");
}

/// Whole numbers, whose distances are exact, and many of them equal.
carroll::test::HostPicture whole_numbers(int height, int width, int levels) {
  carroll::test::Random random(5);
  carroll::test::HostPicture const picture("carroll_test::picture", height, width);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) picture(y, x) = 100 * random.index(levels) / levels;
  return picture;
}

std::vector<std::int32_t> nearest(Scene const& scene, int y, int x) {
  auto const& p = scene.problem;
  std::vector<std::pair<double, std::int32_t>> all;
  for (int v = std::max(y - p.window, 0); v <= std::min(y + p.window, p.down.places - 1); ++v)
    for (int u = std::max(x - p.window, 0); u <= std::min(x + p.window, p.across.places - 1); ++u) {
      double sum = 0;
      for (int i = 0; i < p.patch; ++i)
        for (int j = 0; j < p.patch; ++j)
          sum += std::pow(scene.current[static_cast<std::size_t>(p.layout.at(y + i, x + j))] -
                              scene.current[static_cast<std::size_t>(p.layout.at(v + i, u + j))],
                          2);
      all.emplace_back(sum, static_cast<std::int32_t>(p.layout.at(v, u)));
    }
  std::stable_sort(all.begin(), all.end(),
                   [](auto const& a, auto const& b) { return a.first < b.first; });
  std::vector<std::int32_t> places;
  for (int m = 0; m < p.members; ++m) places.push_back(all[static_cast<std::size_t>(m)].second);
  std::sort(places.begin(), places.end());
  return places;
}

TEST(StackKernelTest, SimilarPatchesAreTheNearest) {
  for (int levels : {1, 2, 5, 100})
    for (auto const& [height, width, patch, step, window, members] : {std::array{1, 1, 1, 1, 3, 5},
                                                                      {9, 31, 4, 3, 5, 20},
                                                                      {40, 23, 7, 2, 30, 200},
                                                                      {25, 25, 12, 5, 4, 256},
                                                                      {17, 60, 3, 1, 8, 9}}) {
      Scene scene(height, width, patch, step, window, members,
                  whole_numbers(height, width, levels));
      match_by_workers(scene, 3);
      auto const by_hosts = scene.places;
      by_teams(TeamMatchKernel<Exec>(scene.problem, scene.places.data()));
      EXPECT_EQ(by_hosts, scene.places);
      auto const& p = scene.problem;
      for (int i = 0; i < p.down.count(); ++i)
        for (int j = 0; j < p.across.count(); ++j) {
          auto const first = by_hosts.begin() + (i * p.across.count() + j) * p.stride;
          EXPECT_EQ(std::vector(first, first + p.members),
                    nearest(scene, p.down.at(i), p.across.at(j)))
              << levels << " levels, " << height << "x" << width << ", reference " << i << ", "
              << j;
        }
    }
}

/// Sums of all stacks' estimates by definition.
std::vector<double> plain_sums(Scene const& scene) {
  auto const& p = scene.problem;
  std::vector<double> sums(scene.sums.size());
  for (std::int64_t s = 0; s < p.stacks(); ++s) {
    carroll::test::Rows rows;
    for (int m = 0; m < p.members; ++m) {
      std::vector<double> row;
      for (int i = 0; i < p.order(); ++i)
        row.push_back(scene.current[static_cast<std::size_t>(
            scene.places[static_cast<std::size_t>(s * p.stride + m)] +
            i / p.patch * p.layout.pitch + i % p.patch)]);
      rows.push_back(row);
    }
    std::vector<double> mean(rows[0].size());
    for (auto const& row : rows)
      for (std::size_t i = 0; i < row.size(); ++i) mean[i] += row[i] / p.members;
    for (auto& row : rows)
      for (std::size_t i = 0; i < row.size(); ++i) row[i] -= mean[i];
    auto const clean = carroll::test::with_singular_values(rows, [&](double sigma) {
      return carroll::test::reweighted(sigma, static_cast<double>(p.weight), p.members, *p.noise);
    });
    for (int m = 0; m < p.members; ++m)
      for (int i = 0; i < p.order(); ++i)
        sums[static_cast<std::size_t>(scene.places[static_cast<std::size_t>(s * p.stride + m)] +
                                      i / p.patch * p.layout.pitch + i % p.patch)] +=
            clean[static_cast<std::size_t>(m)][static_cast<std::size_t>(i)] +
            mean[static_cast<std::size_t>(i)];
  }
  return sums;
}

TEST(StackKernelTest, EstimatesAreThoseOfTheDefinition) {
  for (auto const& [height, width, patch, step, members] :
       {std::array{1, 1, 1, 1, 5}, {20, 19, 3, 3, 17}, {22, 30, 7, 4, 40}, {16, 16, 8, 5, 9}}) {
    auto const picture = carroll::test::with_noise(carroll::test::shapes(height, width), 10, 7);
    Scene scene(height, width, patch, step, 20, members, picture);
    match_by_workers(scene, 1);
    add_by_workers(scene, 1);
    auto const alone = scene.sums;
    auto const hits = scene.hits;
    std::fill(scene.sums.begin(), scene.sums.end(), 0);
    std::fill(scene.hits.begin(), scene.hits.end(), 0);
    add_by_workers(scene, 5);
    EXPECT_EQ(scene.sums, alone);
    EXPECT_EQ(scene.hits, hits);
    std::fill(scene.sums.begin(), scene.sums.end(), 0);
    std::fill(scene.hits.begin(), scene.hits.end(), 0);
    by_teams(TeamStackKernel<Exec>(scene.problem));
    EXPECT_EQ(scene.hits, hits);
    auto const wanted = plain_sums(scene);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        auto const at = static_cast<std::size_t>(scene.problem.layout.at(y, x));
        double count = 0;
        for (int i = 0; i < scene.problem.patch && i <= y; ++i)
          for (int j = 0; j < scene.problem.patch && j <= x; ++j)
            count += hits[static_cast<std::size_t>(scene.problem.layout.at(y - i, x - j))];
        double const unit = static_cast<double>(StackProblem::unit), allowed = 5e-3 * count + 1e-9;
        EXPECT_NEAR(alone[at] * unit, wanted[at], allowed) << patch << ": " << y << ", " << x;
        EXPECT_NEAR(scene.sums[at] * unit, wanted[at], allowed) << patch << ": " << y << ", " << x;
      }
  }
}

}  // namespace
