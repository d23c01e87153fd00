// SPDX-License-Identifier: BSD-3-Clause
#include "files/ply/writer.hpp"

#include <bit>
#include <cstddef>
#include <span>

namespace carroll::tool {

namespace {

/// The bytes of a number of 32 bits, the lowest first, behind those that are there.
template <class Number>
void append(std::vector<std::byte>& bytes, Number x) {
  auto const bits = std::bit_cast<std::uint32_t>(x);
  for (unsigned shift = 0; shift < 32; shift += 8)
    bytes.push_back(static_cast<std::byte>(bits >> shift));
}

}  // namespace

void write_ply(OutputFiles& files, std::string const& path, PointCloud const& cloud,
               std::string const& comment) {
  std::string const header = "ply\nformat binary_little_endian 1.0\ncomment " + comment +
                             "\nelement vertex " + std::to_string(cloud.points.size()) +
                             "\nproperty float x\nproperty float y\nproperty float z\n"
                             "property uchar red\nproperty uchar green\nproperty uchar blue\n"
                             "element face " +
                             std::to_string(cloud.triangles.size()) +
                             "\nproperty list uchar int vertex_indices\nend_header\n";
  std::vector<std::byte> bytes;
  bytes.reserve(15 * cloud.points.size() + 13 * cloud.triangles.size());
  for (std::size_t i = 0; i < cloud.points.size(); ++i) {
    for (float const x : cloud.points[i]) append(bytes, x);
    bytes.insert(bytes.end(), 3, static_cast<std::byte>(cloud.grey[i]));
  }
  for (auto const& triangle : cloud.triangles) {
    bytes.push_back(std::byte{3});
    for (std::int32_t const corner : triangle) append(bytes, corner);
  }
  files.write(path, header, bytes);
}

}  // namespace carroll::tool
