// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/context.hpp"
#include "harness/options.hpp"

namespace carroll::perf {

/// How large the problems are. Full ones are for devices, those of hosts for some cores; quick ones
/// take seconds.
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
  std::int64_t tall_rows;   // of a tall matrix, of all ranks or of each
  std::int64_t tall_cols;
  // Of a dense matrix for the randomised SVD; a sparse one has four times as many of both.
  std::int64_t sketch_rows;
  std::int64_t sketch_cols;
  std::int64_t determinant_order;  // of one matrix over ranks
  std::int64_t huge_order;         // of one that fits no single device; 0: none
  std::int64_t dense_order;        // of a matrix for ScaLAPACK's p?gesvd
  std::string_view ratings;        // the collection whose shape those of als have
  std::int64_t als_factors;
};
inline constexpr Sizes full_sizes{.most_bytes = std::int64_t{1} << 26,
                                  .longest = std::int64_t{1} << 30,
                                  .order = 49'152,
                                  .product = 24'576,
                                  .svds = 10'000,
                                  .determinants = 5000,
                                  .frames = 1024,
                                  .frame_rows = 20'000,
                                  .arrow_rows = 20'000'000,
                                  .tall_rows = 10'000'000,
                                  .tall_cols = 64,
                                  .sketch_rows = 2'000'000,
                                  .sketch_cols = 512,
                                  .determinant_order = 65'536,
                                  .huge_order = 150'000,
                                  .dense_order = 1000,
                                  .ratings = "ml-20m",
                                  .als_factors = 128};
inline constexpr Sizes host_sizes{.most_bytes = std::int64_t{1} << 24,
                                  .longest = std::int64_t{1} << 26,
                                  .order = 8192,
                                  .product = 2048,
                                  .svds = 2000,
                                  .determinants = 5000,
                                  .frames = 64,
                                  .frame_rows = 20'000,
                                  .arrow_rows = 2'000'000,
                                  .tall_rows = 2'000'000,
                                  .tall_cols = 32,
                                  .sketch_rows = 200'000,
                                  .sketch_cols = 256,
                                  .determinant_order = 4000,
                                  .huge_order = 0,
                                  .dense_order = 600,
                                  .ratings = "ml-1m",
                                  .als_factors = 64};
inline constexpr Sizes quick_sizes{.most_bytes = std::int64_t{1} << 20,
                                   .longest = std::int64_t{1} << 20,
                                   .order = 1024,
                                   .product = 256,
                                   .svds = 200,
                                   .determinants = 100,
                                   .frames = 8,
                                   .frame_rows = 4000,
                                   .arrow_rows = 200'000,
                                   .tall_rows = 40'000,
                                   .tall_cols = 16,
                                   .sketch_rows = 20'000,
                                   .sketch_cols = 64,
                                   .determinant_order = 500,
                                   .huge_order = 0,
                                   .dense_order = 100,
                                   .ratings = "ml-100k",
                                   .als_factors = 16};

/// --sizes=full, host or quick, and each number by a name of its own.
inline Sizes take_sizes(int& argc, char** argv) {
  std::string const name = take_option(argc, argv, "sizes");
  if (!name.empty() && name != "full" && name != "host" && name != "quick")
    throw std::invalid_argument("--sizes is '" + name + "', must be full, host or quick");
  Sizes sizes = name == "full" || (name.empty() && on_device) ? full_sizes
                : name == "host"                              ? host_sizes
                                                              : quick_sizes;
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
  take("tall-rows", sizes.tall_rows);
  take("tall-cols", sizes.tall_cols);
  take("sketch-rows", sizes.sketch_rows);
  take("sketch-cols", sizes.sketch_cols);
  take("determinant-order", sizes.determinant_order);
  take("huge-order", sizes.huge_order);
  take("dense-order", sizes.dense_order);
  take("als-factors", sizes.als_factors);
  return sizes;
}

}  // namespace carroll::perf
