// SPDX-License-Identifier: BSD-3-Clause
#include "compress/code/container.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <string_view>

#include "files/zip/checksum.hpp"

namespace carroll::tool {

namespace {

/// Not text, and broken by what changes line ends, as PNG's is.
constexpr std::uint8_t picture_magic[8] = {0x8A, 'C', 'R', 'L', 'P', 0x0D, 0x0A, 0x1A};
constexpr std::uint8_t version = 1;
constexpr std::uint64_t widest_picture = 32768;
constexpr int most_step = 1 << 20;

int across(std::int64_t samples) {
  return static_cast<int>((samples + 7) / 8);
}

std::uint32_t checksum(std::span<std::uint8_t const> bytes) {
  return crc32_of({reinterpret_cast<char const*>(bytes.data()), bytes.size()});
}

void put_groups(Bytes& to, std::vector<PlaneGroup> const& groups, Effort effort) {
  for (auto const& group : groups) {
    put_number(to, static_cast<std::uint64_t>(group.step), 3);
    for (auto const& plane : group.planes)
      put_number(to, static_cast<std::uint64_t>(plane.vectors), 1);
    Tokens const tokens = tokens_of(group.planes);
    for (auto const* const part : {&tokens.basis, &tokens.means, &tokens.runs, &tokens.bits})
      put_section(to, *part, effort);
  }
}

void take_groups(ByteReader& from, std::vector<PlaneGroup>& groups) {
  for (auto& group : groups) {
    group.step = static_cast<int>(from.number(3));
    if (group.step < 1 || group.step > most_step) throw BadPicture("has no usable step");
    std::int64_t patches = 0;
    for (auto& plane : group.planes) {
      plane.vectors = static_cast<int>(from.number(1));
      if (plane.vectors > 63) throw BadPicture("has a basis of more vectors than there can be");
      patches += plane.patches();
    }
    Tokens tokens;
    for (auto* const part : {&tokens.basis, &tokens.means, &tokens.runs, &tokens.bits})
      *part = take_section(from, most_tokens(patches));
    read_tokens(tokens, group.planes);
  }
}

void put_matrices(Bytes& to, std::vector<MatrixFactors> const& matrices, Effort effort) {
  put_number(to, matrices.size(), 1);
  for (auto const& matrix : matrices) {
    put_number(to, std::bit_cast<std::uint32_t>(matrix.mean), 4);
    put_number(to, static_cast<std::uint64_t>(matrix.rank), 4);
    for (float const scale : matrix.scales) put_number(to, std::bit_cast<std::uint32_t>(scale), 4);
    // Their high bytes have something in common, their low ones do not.
    Bytes low, high;
    for (auto const entry : matrix.entries) {
      auto const word = static_cast<std::uint16_t>(entry);
      low.push_back(static_cast<std::uint8_t>(word));
      high.push_back(static_cast<std::uint8_t>(word >> 8));
    }
    put_section(to, low, effort);
    put_section(to, high, effort);
  }
}

void take_matrix(ByteReader& from, MatrixFactors& matrix) {
  matrix.mean = std::bit_cast<float>(static_cast<std::uint32_t>(from.number(4)));
  auto const rank = static_cast<std::int64_t>(from.number(4));
  if (rank > std::min(matrix.rows, matrix.columns))
    throw BadPicture("has a rank that is larger than its matrix");
  matrix.rank = static_cast<int>(rank);
  std::size_t const most = static_cast<std::size_t>(rank * (matrix.rows + matrix.columns));
  auto const* const scales = from.take(static_cast<std::size_t>(8 * rank));
  ByteReader words(scales, static_cast<std::size_t>(8 * rank));
  for (std::int64_t r = 0; r < 2 * rank; ++r)
    matrix.scales.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(words.number(4))));
  if (!std::isfinite(matrix.mean) ||
      !std::ranges::all_of(matrix.scales, [](float scale) { return std::isfinite(scale); }))
    throw BadPicture("has numbers that are not finite");
  Bytes const low = take_section(from, most), high = take_section(from, most);
  if (low.size() != most || high.size() != most)
    throw BadPicture("has fewer entries than its matrix needs");
  matrix.entries.resize(most);
  for (std::size_t e = 0; e < most; ++e)
    matrix.entries[e] = static_cast<std::int16_t>(low[e] | high[e] << 8);
}

void take_matrices(ByteReader& from, PictureShape const& shape,
                   std::vector<MatrixFactors>& matrices) {
  auto const count = static_cast<int>(from.number(1));
  if (count != 1 && count != shape.channels)
    throw BadPicture("has a number of matrices that is not that of its channels");
  for (int c = 0; c < count; ++c) {
    MatrixFactors matrix;
    matrix.rows = shape.height;
    matrix.columns = shape.width * (shape.channels / count);
    take_matrix(from, matrix);
    matrices.push_back(std::move(matrix));
  }
}

PictureShape take_shape(ByteReader& from, std::int64_t most_pixels) {
  PictureShape shape;
  shape.channels = static_cast<int>(from.number(1));
  shape.bits = static_cast<int>(from.number(1));
  auto const width = from.number(4), height = from.number(4);
  if (shape.channels < 1 || shape.channels > 4 || (shape.bits != 8 && shape.bits != 16))
    throw BadPicture("has channels or bits that no picture has");
  if (width < 1 || width > widest_picture || height < 1 || height > widest_picture)
    throw BadPicture("is " + std::to_string(width) + " x " + std::to_string(height) +
                     ", expected 1 to 32768 pixels each way");
  shape.width = static_cast<std::int64_t>(width);
  shape.height = static_cast<std::int64_t>(height);
  if (shape.width * shape.height > most_pixels)
    throw BadPicture("is " + std::to_string(width) + " x " + std::to_string(height) +
                     ", more pixels than the limit of " + std::to_string(most_pixels));
  return shape;
}

}  // namespace

std::vector<PlaneGroup> groups_of(PictureShape const& shape) {
  auto const plane = [](std::int64_t width, std::int64_t height) {
    PlaneFactors made;
    made.across = across(width);
    made.down = across(height);
    return made;
  };
  std::vector<PlaneGroup> groups(1);
  groups[0].planes = {plane(shape.width, shape.height)};
  if (shape.colours()) {
    auto const chroma = plane((shape.width + 1) / 2, (shape.height + 1) / 2);
    groups.push_back({1, {chroma, chroma}});
  }
  if (shape.alpha()) groups.push_back({1, {plane(shape.width, shape.height)}});
  return groups;
}

Bytes bytes_of(CompressedPicture const& picture, Effort effort) {
  Bytes payload;
  if (picture.code == PictureCode::patches)
    put_groups(payload, picture.groups, effort);
  else
    put_matrices(payload, picture.matrices, effort);
  Bytes bytes(picture_magic, picture_magic + sizeof picture_magic);
  put_number(bytes, version, 1);
  put_number(bytes, static_cast<std::uint64_t>(picture.code), 1);
  put_number(bytes, static_cast<std::uint64_t>(picture.shape.channels), 1);
  put_number(bytes, static_cast<std::uint64_t>(picture.shape.bits), 1);
  put_number(bytes, static_cast<std::uint64_t>(picture.shape.width), 4);
  put_number(bytes, static_cast<std::uint64_t>(picture.shape.height), 4);
  put_number(bytes, payload.size(), 4);
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  put_number(bytes, checksum(bytes), 4);
  return bytes;
}

CompressedPicture picture_of(std::span<std::uint8_t const> bytes, std::int64_t most_pixels) {
  auto const begins = std::min(bytes.size(), sizeof picture_magic);
  if (!std::equal(picture_magic, picture_magic + begins, bytes.begin()))
    throw BadPicture("is no compressed picture");
  ByteReader from(bytes.data(), bytes.size());
  from.take(sizeof picture_magic);
  auto const found = from.number(1);
  if (found != version)
    throw BadPicture("has version " + std::to_string(found) + ", expected version 1");
  auto const code = from.number(1);
  if (code != 1 && code != 2) throw BadPicture("has a code that is not known");
  CompressedPicture picture;
  picture.code = static_cast<PictureCode>(code);
  picture.shape = take_shape(from, most_pixels);
  auto const size = static_cast<std::size_t>(from.number(4));
  if (from.left() < size || from.left() - size < 4) throw BadPicture("is truncated");
  if (from.left() - size > 4) throw BadPicture("has bytes after its end");
  ByteReader payload(from.take(size), size);
  if (from.number(4) != checksum(bytes.first(bytes.size() - 4)))
    throw BadPicture("is damaged: its checksum is not that of its bytes");
  if (picture.code == PictureCode::patches) {
    picture.groups = groups_of(picture.shape);
    take_groups(payload, picture.groups);
  } else {
    take_matrices(payload, picture.shape, picture.matrices);
  }
  if (payload.left() > 0) throw BadPicture("has bytes after its last section");
  return picture;
}

}  // namespace carroll::tool
