// SPDX-License-Identifier: BSD-3-Clause
#include "files/ply/reader.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "files/input_file.hpp"
#include "files/limits.hpp"
#include "files/words.hpp"

namespace carroll::tool {

namespace {

enum class Order { text, little, big };

struct Property {
  char kind;  ///< i, u or f
  int bytes;
  int axis;  ///< 0, 1, 2 of x, y, z; -1: of no use
};

/// What the header says of the vertices.
struct Vertices {
  Order order = Order::text;
  std::int64_t count = 0;
  std::vector<Property> properties;
  bool alone = true;  ///< nothing follows them
};

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    if (is_blank(line[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < line.size() && !is_blank(line[end])) ++end;
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

Property property_of(InputFile const& file, std::vector<std::string_view> const& words) {
  struct Type {
    std::string_view name, other;
    char kind;
    int bytes;
  };
  static constexpr Type types[] = {{"char", "int8", 'i', 1},     {"uchar", "uint8", 'u', 1},
                                   {"short", "int16", 'i', 2},   {"ushort", "uint16", 'u', 2},
                                   {"int", "int32", 'i', 4},     {"uint", "uint32", 'u', 4},
                                   {"float", "float32", 'f', 4}, {"double", "float64", 'f', 8}};
  if (words.size() >= 2 && words[1] == "list")
    file.fail("has vertices with a list, expected x y z");
  if (words.size() != 3) file.fail("has a property without a type and a name in its header");
  auto const* const type = std::ranges::find_if(
      types, [&](Type const& t) { return t.name == words[1] || t.other == words[1]; });
  if (type == std::end(types))
    file.fail("has a property of unknown type " + in_quotes(words[1]) + " in its header");
  std::string_view const axes = "xyz";
  std::size_t const axis = words[2].size() == 1 ? axes.find(words[2]) : axes.npos;
  return {type->kind, type->bytes, axis == axes.npos ? -1 : static_cast<int>(axis)};
}

/// Each of x, y and z once.
void require_axes(InputFile const& file, Vertices const& vertices) {
  for (int axis = 0; axis < 3; ++axis) {
    auto const times = std::ranges::count(vertices.properties, axis, &Property::axis);
    if (times != 1)
      file.fail(std::string("has vertices with ") + (times == 0 ? "no " : "more than one ") +
                "xyz"[axis]);
  }
}

Vertices read_header(InputFile& file) {
  std::string line;
  if (!file.next_line(line)) file.fail("is empty");
  if (auto const words = words_of(line); words.size() != 1 || words[0] != "ply")
    file.fail("is no PLY file");
  Vertices vertices;
  int elements = 0;
  bool format = false;
  while (file.next_line(line)) {
    auto const words = words_of(line);
    if (words.empty() || words[0] == "comment" || words[0] == "obj_info") continue;
    if (words[0] == "end_header") {
      if (!format) file.fail("has no format in its header");
      if (elements == 0) file.fail("holds no vertices");
      require_axes(file, vertices);
      return vertices;
    }
    if (words[0] == "format" && words.size() == 3) {
      format = true;
      if (words[1] == "ascii")
        vertices.order = Order::text;
      else if (words[1] == "binary_little_endian")
        vertices.order = Order::little;
      else if (words[1] == "binary_big_endian")
        vertices.order = Order::big;
      else
        file.fail("has the unknown format " + in_quotes(words[1]));
    } else if (words[0] == "element" && words.size() == 3) {
      ++elements;
      vertices.alone = elements == 1;
      if (elements > 1) continue;
      if (words[1] != "vertex")
        file.fail("begins with the element " + in_quotes(words[1]) + ", expected vertex");
      auto const [rest, error] = std::from_chars(words[2].begin(), words[2].end(), vertices.count);
      if (error != std::errc{} || rest != words[2].end() || vertices.count < 0)
        file.fail("has " + in_quotes(words[2]) + " vertices, expected a number");
    } else if (words[0] == "property" && elements > 0) {
      if (elements == 1) vertices.properties.push_back(property_of(file, words));
    } else {
      file.fail("has " + in_quotes(line) + " in its header");
    }
  }
  file.fail("is truncated: its header has no end");
}

double number_of(unsigned char const* bytes, Property const& property, bool swap) {
  std::array<unsigned char, 8> b{};
  std::copy_n(bytes, property.bytes, b.begin());
  if (swap) std::reverse(b.begin(), b.begin() + property.bytes);
  auto const as = [&]<class T>(T x) {
    std::memcpy(&x, b.data(), sizeof(T));
    return static_cast<double>(x);
  };
  if (property.kind == 'f') return property.bytes == 4 ? as(float{}) : as(double{});
  bool const is_signed = property.kind == 'i';
  if (property.bytes == 1) return is_signed ? as(std::int8_t{}) : as(std::uint8_t{});
  if (property.bytes == 2) return is_signed ? as(std::int16_t{}) : as(std::uint16_t{});
  return is_signed ? as(std::int32_t{}) : as(std::uint32_t{});
}

void read_binary(InputFile& file, Vertices const& vertices, HostMatrix<double>& points) {
  bool const swap =
      (vertices.order == Order::little) != (std::endian::native == std::endian::little);
  std::int64_t size = 0;
  for (auto const& property : vertices.properties) size += property.bytes;
  if (auto const rest = file.remaining();
      rest && (*rest / size < vertices.count || (vertices.alone && *rest > vertices.count * size)))
    file.fail((*rest / size < vertices.count ? "is truncated: it has " : "has ") +
              std::to_string(*rest) + " bytes behind its header, its vertices take " +
              std::to_string(vertices.count) + " times " + std::to_string(size));
  std::vector<unsigned char> record(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < vertices.count; ++i) {
    if (file.read(record.data(), record.size()) != record.size())
      file.fail("is truncated: it ends in vertex " + std::to_string(i));
    unsigned char const* at = record.data();
    for (auto const& property : vertices.properties) {
      if (property.axis >= 0) points(i, property.axis) = number_of(at, property, swap);
      at += property.bytes;
    }
  }
}

void read_text(InputFile& file, Vertices const& vertices, HostMatrix<double>& points) {
  std::string line;
  for (std::int64_t i = 0; i < vertices.count; ++i) {
    if (!file.next_line(line))
      file.fail("is truncated: it ends before vertex " + std::to_string(i));
    auto const words = words_of(line);
    if (words.size() != vertices.properties.size())
      file.fail("has a vertex of " + count_text(std::ssize(words), "number") + ", must have " +
                std::to_string(vertices.properties.size()));
    for (std::size_t k = 0; k < words.size(); ++k) {
      double value = 0;
      auto const [rest, error] = std::from_chars(words[k].begin(), words[k].end(), value);
      if (error != std::errc{} || rest != words[k].end())
        file.fail("has " + in_quotes(words[k]) + " in a vertex, expected a number");
      if (int const axis = vertices.properties[k].axis; axis >= 0) points(i, axis) = value;
    }
  }
}

}  // namespace

bool begins_as_ply(std::string const& path) {
  InputFile file(path, "a PLY file");
  if (!file.remaining()) return false;
  std::string_view const begin = file.peek(4);
  return begin == "ply\n" || begin == "ply\r";
}

HostMatrix<double> read_ply_points(std::string const& path) {
  InputFile file(path, "a PLY file");
  Vertices const vertices = read_header(file);
  // Each takes three bytes and more.
  if (auto const rest = file.remaining(); rest && *rest / 3 < vertices.count)
    file.fail("is truncated: it has " + std::to_string(*rest) + " bytes behind its header for " +
              std::to_string(vertices.count) + " vertices");
  check_extents(file, vertices.count, 3, sizeof(double));
  HostMatrix<double> points{vertices.count, 3, {}};
  points.values.resize(static_cast<std::size_t>(3 * vertices.count));
  if (vertices.order == Order::text)
    read_text(file, vertices, points);
  else
    read_binary(file, vertices, points);
  return points;
}

}  // namespace carroll::tool
