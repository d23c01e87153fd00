// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "harness/context.hpp"
#include "harness/options.hpp"

namespace carroll::perf {

/// How large the problems are. Full ones are for devices; quick ones take a host some seconds.
struct Sizes {
  std::int64_t most_bytes;    // of a message
  std::int64_t longest;       // vector, a power of two from 2^20 on
  std::int64_t order;         // of the matrix of a matrix–vector product
  std::int64_t product;       // of those of a matrix product
  std::int64_t svds;          // of 32×32
  std::int64_t determinants;  // of 64×64
  std::int64_t frames;        // of frame_rows rows
  std::int64_t frame_rows;
  std::int64_t arrow_rows;  // of one step over ranks
};
inline constexpr Sizes full_sizes{std::int64_t{1} << 26,
                                  std::int64_t{1} << 30,
                                  49'152,
                                  24'576,
                                  10'000,
                                  5000,
                                  1024,
                                  20'000,
                                  20'000'000};
inline constexpr Sizes quick_sizes{
    std::int64_t{1} << 20, std::int64_t{1} << 20, 1024, 256, 200, 100, 8, 4000, 200'000};

/// --sizes=full or quick, and each number by a name of its own.
inline Sizes take_sizes(int& argc, char** argv) {
  std::string const name = take_option(argc, argv, "sizes");
  if (!name.empty() && name != "full" && name != "quick")
    throw std::invalid_argument("--sizes is '" + name + "', must be full or quick");
  Sizes sizes = name == "full" || (name.empty() && on_device) ? full_sizes : quick_sizes;
  auto const take = [&](char const* option, std::int64_t& into) {
    if (auto const text = take_option(argc, argv, option); !text.empty()) into = std::stoll(text);
  };
  take("most-bytes", sizes.most_bytes);
  take("longest", sizes.longest);
  take("order", sizes.order);
  take("product", sizes.product);
  take("svds", sizes.svds);
  take("determinants", sizes.determinants);
  take("frames", sizes.frames);
  take("frame-rows", sizes.frame_rows);
  take("arrow-rows", sizes.arrow_rows);
  return sizes;
}

}  // namespace carroll::perf
