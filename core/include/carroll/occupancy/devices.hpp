// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <carroll/error.hpp>
#include <carroll/occupancy/limits.hpp>
#include <cctype>
#include <span>
#include <string>
#include <string_view>

/// Devices by their names.
///
/// Sources: NVIDIA's list "CUDA GPU Compute Capability" and its data sheets and white papers of the
/// architectures, which tell the multiprocessors that are enabled.
namespace carroll {

struct DeviceModel {
  char const* name;
  ComputeCapability capability;
  int multiprocessors;
};

namespace detail {

inline constexpr std::array device_models = {
    DeviceModel{"GTX 480", {2, 0}, 15},
    DeviceModel{"GTX 680", {3, 0}, 8},
    DeviceModel{"Tesla K10", {3, 0}, 8},  // of each of its two chips
    DeviceModel{"Jetson TK1", {3, 2}, 1},
    DeviceModel{"Tesla K20", {3, 5}, 13},
    DeviceModel{"Tesla K40", {3, 5}, 15},
    DeviceModel{"Tesla K80", {3, 7}, 13},  // of each of its two chips
    DeviceModel{"GTX 750 Ti", {5, 0}, 5},
    DeviceModel{"GTX 980", {5, 2}, 16},
    DeviceModel{"Jetson TX1", {5, 3}, 2},
    DeviceModel{"Jetson Nano", {5, 3}, 1},
    DeviceModel{"P100", {6, 0}, 56},
    DeviceModel{"GTX 1080", {6, 1}, 20},
    DeviceModel{"GTX 1080 Ti", {6, 1}, 28},
    DeviceModel{"Jetson TX2", {6, 2}, 2},
    DeviceModel{"V100", {7, 0}, 80},
    DeviceModel{"Jetson AGX Xavier", {7, 2}, 8},
    DeviceModel{"Jetson Xavier NX", {7, 2}, 6},
    DeviceModel{"T4", {7, 5}, 40},
    DeviceModel{"RTX 2080", {7, 5}, 46},
    DeviceModel{"RTX 2080 Ti", {7, 5}, 68},
    DeviceModel{"A100", {8, 0}, 108},
    DeviceModel{"RTX 3080", {8, 6}, 68},
    DeviceModel{"RTX 3090", {8, 6}, 82},
    DeviceModel{"A40", {8, 6}, 84},
    DeviceModel{"Jetson AGX Orin", {8, 7}, 16},
    DeviceModel{"Jetson Orin NX", {8, 7}, 8},
    DeviceModel{"Jetson Orin Nano", {8, 7}, 8},
    DeviceModel{"L4", {8, 9}, 58},
    DeviceModel{"L40", {8, 9}, 142},
    DeviceModel{"RTX 4080", {8, 9}, 76},
    DeviceModel{"RTX 4090", {8, 9}, 128},
    DeviceModel{"H100 PCIe", {9, 0}, 114},
    DeviceModel{"H100", {9, 0}, 132},  // SXM
    DeviceModel{"H200", {9, 0}, 132},
    DeviceModel{"GH200", {9, 0}, 132},
    DeviceModel{"B200", {10, 0}, 148},
    DeviceModel{"Jetson AGX Thor", {11, 0}, 20},
    DeviceModel{"RTX 5080", {12, 0}, 84},
    DeviceModel{"RTX 5090", {12, 0}, 170},
    DeviceModel{"DGX Spark", {12, 1}, 48},  // GB10
};

/// Lower case, letters and digits alone, without the maker's and the families' names.
inline std::string plain_device_name(std::string_view name) {
  std::string plain;
  for (char const c : name) {
    auto const u = static_cast<unsigned char>(c);
    if (std::isalnum(u)) plain += static_cast<char>(std::tolower(u));
  }
  for (std::string_view const word : {"nvidia", "geforce", "tesla", "jetson", "agx"}) {
    if (auto const at = plain.find(word); at != std::string::npos) plain.erase(at, word.size());
  }
  return plain;
}

}  // namespace detail

[[nodiscard]] inline std::span<DeviceModel const> known_devices() {
  return detail::device_models;
}

/// The device of that name, which is read without regard to case, blanks, "NVIDIA", "GeForce",
/// "Tesla", "Jetson" and "AGX". std::invalid_argument, which names the known ones, where there is
/// none.
[[nodiscard]] inline DeviceModel const& device_named(std::string_view name) {
  std::string const wanted = detail::plain_device_name(name);
  std::string known;
  for (auto const& device : known_devices()) {
    if (!wanted.empty() && detail::plain_device_name(device.name) == wanted) return device;
    known += (known.empty() ? "" : ", ") + std::string(device.name);
  }
  detail::require(false, "carroll::device_named",
                  [&] { return "device '" + std::string(name) + "' is none of " + known; });
  return known_devices().front();
}

}  // namespace carroll
