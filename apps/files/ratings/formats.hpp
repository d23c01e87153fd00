// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "files/input_file.hpp"

/// The readers behind read_ratings.
namespace carroll::tool {

/// Takes a rating: its line from 1, or 0 where there is none.
using TakeRating = std::function<void(std::string_view user, std::string_view item, double value,
                                      std::int64_t line)>;
/// Is told how many users and items there are where they are numbered, from `first` on.
using TakeExtents = std::function<void(std::int64_t users, std::int64_t items, std::int64_t first)>;

void read_text_ratings(InputFile& file, TakeRating const& take);
void read_matrix_market_ratings(InputFile& file, TakeExtents const& extents,
                                TakeRating const& take);
void read_npz_ratings(InputFile& file, TakeExtents const& extents, TakeRating const& take);

}  // namespace carroll::tool
