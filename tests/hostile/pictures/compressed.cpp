// SPDX-License-Identifier: BSD-3-Clause
// Files that claim to be compressed pictures. Whatever is drawn, a file that was written is read as
// what it was made of; one whose bytes were changed is refused with a reason or, where its checksum
// was put right again, read as something within its own limits.
#include <algorithm>
#include <string>
#include <string_view>

#include "compress/code/container.hpp"
#include "files/zip/checksum.hpp"
#include "hostile/round.hpp"

namespace carroll::test {

std::string_view const hostile_name = "hostile_compressed";
std::string_view const hostile_about =
    "Compressed pictures of random shapes and factors, written, read, and read with bytes "
    "changed,\n"
    "added and taken away, with and without a checksum that fits.";
std::string_view const hostile_kinds = "patches,singular";

namespace {

using namespace carroll::tool;

constexpr std::int64_t most_pixels = 1 << 16;

int from_to(Random& random, int low, int high) {
  return low + random.index(high - low + 1);
}

std::int32_t drawn_factor(Random& random, bool dense) {
  if (!dense && random.index(8) != 0) return 0;
  int const size = random.index(16) == 0 ? 32767 : random.index(4) == 0 ? 300 : 3;
  return from_to(random, -size, size);
}

void draw_plane(Random& random, PlaneFactors& plane) {
  plane.vectors = random.index(2) == 0 ? 0 : from_to(random, 1, 63);
  plane.basis.clear();
  for (int e = 0; e < 63 * plane.vectors; ++e) plane.basis.push_back(from_to(random, -16, 16));
  plane.factors.assign(static_cast<std::size_t>(64 * plane.patches()), 0);
  int const most = plane.vectors > 0 ? plane.vectors : 63;
  bool const empty = random.index(4) == 0, dense = random.index(4) == 0;
  for (std::int64_t patch = 0; patch < plane.patches(); ++patch) {
    auto* const u = plane.factors.data() + 64 * patch;
    u[0] = drawn_factor(random, true);
    if (empty || random.index(3) == 0) continue;
    for (int r = 1; r <= most; ++r) u[r] = drawn_factor(random, dense);
  }
}

CompressedPicture drawn_picture(Random& random, bool patches) {
  CompressedPicture picture;
  picture.shape = {from_to(random, 1, 90), from_to(random, 1, 70), from_to(random, 1, 4),
                   random.index(2) == 0 ? 8 : 16};
  if (patches) {
    picture.groups = groups_of(picture.shape);
    for (auto& group : picture.groups) {
      group.step = from_to(random, 4, 1 << 20);
      for (auto& plane : group.planes) draw_plane(random, plane);
    }
    return picture;
  }
  picture.code = PictureCode::singular_values;
  int const count = random.index(2) == 0 ? 1 : picture.shape.channels;
  for (int m = 0; m < count; ++m) {
    MatrixFactors matrix;
    matrix.rows = picture.shape.height;
    matrix.columns = picture.shape.width * picture.shape.channels / count;
    matrix.rank = from_to(random, 0, static_cast<int>(std::min(matrix.rows, matrix.columns)));
    matrix.mean = static_cast<float>(from_to(random, 0, 255));
    for (int r = 0; r < 2 * matrix.rank; ++r)
      matrix.scales.push_back(static_cast<float>(from_to(random, 0, 999)) / 64);
    for (std::int64_t e = 0; e < matrix.rank * (matrix.rows + matrix.columns); ++e)
      matrix.entries.push_back(static_cast<std::int16_t>(from_to(random, -32767, 32767)));
    picture.matrices.push_back(matrix);
  }
  return picture;
}

bool same(CompressedPicture const& a, CompressedPicture const& b) {
  auto const same_planes = [](PlaneFactors const& p, PlaneFactors const& q) {
    return p.vectors == q.vectors && p.basis == q.basis && p.factors == q.factors;
  };
  auto const same_groups = [&](PlaneGroup const& g, PlaneGroup const& h) {
    return g.step == h.step && std::ranges::equal(g.planes, h.planes, same_planes);
  };
  auto const same_matrices = [](MatrixFactors const& m, MatrixFactors const& n) {
    return m.mean == n.mean && m.rank == n.rank && m.scales == n.scales && m.entries == n.entries;
  };
  return a.shape.width == b.shape.width && a.shape.height == b.shape.height &&
         a.shape.channels == b.shape.channels && a.shape.bits == b.shape.bits && a.code == b.code &&
         std::ranges::equal(a.groups, b.groups, same_groups) &&
         std::ranges::equal(a.matrices, b.matrices, same_matrices);
}

void change(Random& random, Bytes& bytes) {
  for (int changes = from_to(random, 1, 4); changes > 0; --changes) {
    if (bytes.empty()) return;
    auto const at = static_cast<std::size_t>(random.index(static_cast<int>(bytes.size())));
    // Half of them where the headers are.
    auto const place = random.index(2) == 0 ? at : at % std::min<std::size_t>(bytes.size(), 64);
    auto const where = bytes.begin() + static_cast<std::ptrdiff_t>(place);
    switch (random.index(5)) {
      case 0: *where = static_cast<std::uint8_t>(random.index(256)); break;
      case 1: *where ^= static_cast<std::uint8_t>(1U << random.index(8)); break;
      case 2: bytes.insert(where, static_cast<std::uint8_t>(random.index(256))); break;
      case 3: bytes.erase(where); break;
      default: bytes.resize(place); break;
    }
  }
}

/// Makes length and checksum fit, so that what comes after them is looked at.
void put_right(Bytes& bytes) {
  constexpr std::size_t header = 24, sum = 4;
  if (bytes.size() < header + sum) return;
  auto const put = [&](std::size_t at, std::uint64_t value) {
    for (std::size_t byte = 0; byte < 4; ++byte)
      bytes[at + byte] = static_cast<std::uint8_t>(value >> (8 * byte));
  };
  put(header - 4, bytes.size() - header - sum);
  auto const* const text = reinterpret_cast<char const*>(bytes.data());
  put(bytes.size() - sum, crc32_of({text, bytes.size() - sum}));
}

/// Is what was read within what its header may ask for?
bool within(CompressedPicture const& picture) {
  auto const& shape = picture.shape;
  if (shape.width * shape.height > most_pixels) return false;
  for (auto const& group : picture.groups)
    for (auto const& plane : group.planes) {
      bool const bounded = std::ranges::all_of(
          plane.factors, [](std::int32_t u) { return u >= -32767 && u <= 32767; });
      if (!bounded || plane.factors.size() != static_cast<std::size_t>(64 * plane.patches()))
        return false;
    }
  return true;
}

}  // namespace

void hostile_round(Round& round, std::string_view kind) {
  bool const patches = kind.empty() ? round.random.index(4) != 0 : kind == "patches";
  auto const picture = drawn_picture(round.random, patches);
  Effort const efforts[] = {Effort::best, Effort::good, Effort::fast};
  Effort const effort = efforts[std::min(round.random.index(16), 2)];
  Bytes const bytes = bytes_of(picture, effort);
  std::string const name = std::to_string(picture.shape.width) + " x " +
                           std::to_string(picture.shape.height) + " x " +
                           std::to_string(picture.shape.channels);
  try {
    round.expect(same(picture_of(bytes, most_pixels), picture), name + " is read as another");
  } catch (BadPicture const& bad) {
    round.wrong(name + " as it was written " + bad.what());
  }
  for (int mutant = 0; mutant < 50; ++mutant) {
    Bytes changed = bytes;
    change(round.random, changed);
    bool const right = round.random.index(4) != 0;
    if (right) put_right(changed);
    try {
      auto const read = picture_of(changed, most_pixels);
      round.expect(right || changed == bytes, name + " is read with a checksum that is wrong");
      round.expect(within(read), name + " is read as what its header does not say");
    } catch (BadPicture const& bad) {
      round.expect(std::string_view(bad.what()).size() > 4, name + " is refused without a reason");
    }
    round.checked(1);
  }
}

}  // namespace carroll::test
