// SPDX-License-Identifier: BSD-3-Clause
// Adds white noise to a picture, takes it out again, and says how far the picture is from what it
// was:
//   denoise_quality FILE HEIGHT WIDTH SIGMA fast|thorough SEED
// FILE has a byte for each sample, row after row. denoise_quality.py names the pictures.
#include <Kokkos_Core.hpp>
#include <carroll/denoise.hpp>
#include <carroll/detail/random.hpp>
#include <carroll/noise.hpp>
#include <carroll/picture_error.hpp>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Picture = Kokkos::View<double**, Kokkos::LayoutRight, Exec::memory_space>;

void measure(std::vector<char> const& bytes, int height, int width, double sigma, bool fast,
             std::uint64_t seed) {
  Exec const exec;
  Picture const original("original", height, width), noisy("noisy", height, width),
      result("result", height, width);
  auto const host_original = Kokkos::create_mirror_view(original);
  auto const host_noisy = Kokkos::create_mirror_view(noisy);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    host_original.data()[i] = static_cast<unsigned char>(bytes[i]);
    host_noisy.data()[i] =
        host_original.data()[i] + sigma * carroll::detail::random_normal<double>(seed, 0, i);
  }
  Kokkos::deep_copy(original, host_original);
  Kokkos::deep_copy(noisy, host_noisy);
  auto const estimate = carroll::estimate_noise(exec, noisy);
  auto const effort = fast ? carroll::DenoiseEffort::fast : carroll::DenoiseEffort::thorough;
  Kokkos::Timer const timer;
  auto const info = carroll::denoise(exec, noisy, result, carroll::denoise_options(sigma, effort));
  double const seconds = timer.seconds();
  auto const before = carroll::picture_error(exec, noisy, original);
  auto const after = carroll::picture_error(exec, result, original);
  std::printf(
      R"({"status": "%s", "psnr": %.4f, "noisy_psnr": %.4f, "estimated": %.3f, "seconds": %.3f})"
      "\n",
      std::string(to_string(info.status)).c_str(), carroll::psnr(after.mse, 255),
      carroll::psnr(before.mse, 255), estimate.noise, seconds);
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  if (argc != 7) {
    std::fprintf(stderr, "usage: denoise_quality FILE HEIGHT WIDTH SIGMA fast|thorough SEED\n");
    return 2;
  }
  int const height = std::stoi(argv[2]), width = std::stoi(argv[3]);
  std::vector<char> bytes(static_cast<std::size_t>(height) * static_cast<std::size_t>(width));
  std::ifstream file(argv[1], std::ios::binary);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
    std::fprintf(stderr, "denoise_quality: %s is too short\n", argv[1]);
    return 2;
  }
  measure(bytes, height, width, std::stod(argv[4]), std::string(argv[5]) == "fast",
          std::stoull(argv[6]));
  return 0;
}
