// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace carroll::tool {

/// Names of users or of items, in a file any text, and their indices.
class Ids {
 public:
  Ids() = default;
  explicit Ids(std::vector<std::string> names);

  [[nodiscard]] std::int32_t count() const { return static_cast<std::int32_t>(names_.size()); }
  [[nodiscard]] std::string const& name(std::int32_t index) const {
    return names_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] std::vector<std::string> const& names() const { return names_; }
  /// −1 for one that is not there.
  [[nodiscard]] std::int32_t find(std::string_view name) const;
  /// The index of a name, its own or the next one.
  std::int32_t take(std::string_view name);
  /// Puts the names in order: by number where all are whole numbers, else by bytes. Returns the new
  /// index of each old one.
  std::vector<std::int32_t> sort();

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> indices_;
};

/// Ratings as a file has them.
struct RatingTable {
  std::string path;
  std::vector<std::int32_t> users, items;  ///< −1: not among the ids
  std::vector<double> values;              ///< finite
  std::vector<std::int64_t> lines;         ///< of the file, from 1; empty: it has none

  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(values.size()); }
};

/// Where rating e stands, for messages: "line 7" or "entry 6".
[[nodiscard]] std::string place_text(RatingTable const& table, std::int64_t e);

/// Reads ratings. What the file begins with decides what it is:
///
///   text             user, item, rating and whatever else in lines, between commas, semicolons,
///                    tabs, :: or blanks; the first line may be a header, which has no number in
///                    the place of the rating; of two columns alone all ratings are 1. Ids are any
///                    text, in quotes where they have commas or semicolons in them.
///   Matrix Market    coordinate; ids are the numbers of rows and columns from 1
///   .npz of scipy    save_npz of a csr, csc or coo matrix; ids are rows and columns from 0
///
/// Ids are added to `users` and `items` and put in order, so that the order of lines has no
/// influence on indices. FileError names the line that is no rating, NaN and infinities among them.
[[nodiscard]] RatingTable read_ratings(std::string const& path, Ids& users, Ids& items);

/// The same for ids that are known: what is not among them is −1.
[[nodiscard]] RatingTable read_known_ratings(std::string const& path, Ids const& users,
                                             Ids const& items);

}  // namespace carroll::tool
