// SPDX-License-Identifier: BSD-3-Clause
#include "files/ratings/table.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "files/input_file.hpp"
#include "files/matrix_market/reader.hpp"
#include "files/ratings/formats.hpp"
#include "files/zip/reader.hpp"

namespace carroll::tool {

namespace {

std::optional<std::int64_t> whole_number(std::string const& text) {
  std::int64_t number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// `find(user)` and so on give the indices; `extents` is told of numbered ones.
template <class FindUser, class FindItem>
RatingTable read_with(std::string const& path, TakeExtents const& extents,
                      FindUser const& find_user, FindItem const& find_item) {
  InputFile file(path, "a file of ratings");
  if (file.peek(1).empty()) file.fail("is empty, expected ratings");
  RatingTable table;
  table.path = path;
  auto const take = [&](std::string_view user, std::string_view item, double value,
                        std::int64_t line) {
    table.users.push_back(find_user(user));
    table.items.push_back(find_item(item));
    table.values.push_back(value);
    if (line > 0) table.lines.push_back(line);
  };
  if (file.peek(zip_magic.size()) == zip_magic)
    read_npz_ratings(file, extents, take);
  else if (file.peek(matrix_market_banner.size()) == matrix_market_banner)
    read_matrix_market_ratings(file, extents, take);
  else
    read_text_ratings(file, take);
  return table;
}

}  // namespace

Ids::Ids(std::vector<std::string> names) : names_(std::move(names)) {
  for (std::size_t k = 0; k < names_.size(); ++k)
    indices_.emplace(names_[k], static_cast<std::int32_t>(k));
}

std::int32_t Ids::find(std::string_view name) const {
  auto const found = indices_.find(name);
  return found == indices_.end() ? -1 : found->second;
}

std::int32_t Ids::take(std::string_view name) {
  auto const found = indices_.find(name);
  if (found != indices_.end()) return found->second;
  if (names_.size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw std::length_error("has more than 2147483647 users or items");
  std::int32_t const index = count();
  names_.emplace_back(name);
  indices_.emplace(names_.back(), index);
  return index;
}

std::vector<std::int32_t> Ids::sort() {
  std::vector<std::int32_t> order(names_.size()), place(names_.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::int64_t> numbers;
  for (auto const& name : names_) {
    auto const number = whole_number(name);
    if (!number) break;
    numbers.push_back(*number);
  }
  bool const numbered = numbers.size() == names_.size();
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    auto const i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    if (numbered && numbers[i] != numbers[j]) return numbers[i] < numbers[j];
    return names_[i] < names_[j];
  });
  std::vector<std::string> sorted;
  sorted.reserve(names_.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    place[static_cast<std::size_t>(order[k])] = static_cast<std::int32_t>(k);
    sorted.push_back(std::move(names_[static_cast<std::size_t>(order[k])]));
  }
  names_ = std::move(sorted);
  for (auto& [name, index] : indices_) index = place[static_cast<std::size_t>(index)];
  return place;
}

std::string place_text(RatingTable const& table, std::int64_t e) {
  if (table.lines.empty()) return "entry " + std::to_string(e);
  return "line " + std::to_string(table.lines[static_cast<std::size_t>(e)]);
}

RatingTable read_ratings(std::string const& path, Ids& users, Ids& items) {
  auto const extents = [&](std::int64_t user_count, std::int64_t item_count, std::int64_t first) {
    for (std::int64_t u = 0; u < user_count; ++u) users.take(std::to_string(first + u));
    for (std::int64_t i = 0; i < item_count; ++i) items.take(std::to_string(first + i));
  };
  RatingTable table = read_with(
      path, extents, [&](std::string_view user) { return users.take(user); },
      [&](std::string_view item) { return items.take(item); });
  auto const user_place = users.sort(), item_place = items.sort();
  for (auto& user : table.users) user = user_place[static_cast<std::size_t>(user)];
  for (auto& item : table.items) item = item_place[static_cast<std::size_t>(item)];
  return table;
}

RatingTable read_known_ratings(std::string const& path, Ids const& users, Ids const& items) {
  return read_with(
      path, [](std::int64_t, std::int64_t, std::int64_t) {},
      [&](std::string_view user) { return users.find(user); },
      [&](std::string_view item) { return items.find(item); });
}

}  // namespace carroll::tool
