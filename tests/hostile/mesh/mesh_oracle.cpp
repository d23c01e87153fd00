// SPDX-License-Identifier: BSD-3-Clause
#include "hostile/mesh/mesh_oracle.hpp"

#include <algorithm>
#include <carroll/detail/spherical_mesh/sphere_points.hpp>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <sstream>

namespace carroll::test {

namespace {

using namespace long_vectors;

template <class... Parts>
std::string text(Parts const&... parts) {
  std::ostringstream stream;
  stream.precision(17);
  (stream << ... << parts);
  return stream.str();
}

constexpr Real u = 0x1p-53L;
/// Strips along the border that may belong to the region, or not.
constexpr double narrow = 0x1p-28;

}  // namespace

MeshOracle::MeshOracle(HostMesh const& mesh, Complain complain)
    : mesh_(mesh), complain_(std::move(complain)), triangles_(mesh.triangles.extent_int(0)) {
  std::map<std::pair<int, int>, int> directed;
  for (int t = 0; t < triangles_; ++t) {
    for (int k = 0; k < 3; ++k) {
      int const a = mesh.triangles(t, k), b = mesh.triangles(t, (k + 1) % 3);
      if (a < 0 || a >= mesh.vertices.extent_int(0) || a == b) {
        complain_(text("triangle ", t, " has corner ", a));
        sound_ = false;
        return;
      }
      used_.insert(a);
      if (++directed[{a, b}] > 1) {
        complain_(text("edge ", a, " to ", b, " has two triangles on one side"));
        sound_ = false;
      }
    }
  }
  for (auto const& [edge, count] : directed) {
    auto const [a, b] = edge;
    bool const has_other_side = directed.contains({b, a});
    edges_ += !has_other_side || a < b;
    if (has_other_side) continue;
    border_edges_.push_back({a, b});
    Vector const n = outer(wide(vertex(a)), minus(wide(vertex(b)), wide(vertex(a))));
    Real const size = length(n);
    border_.push_back({static_cast<double>(n[0] / size), static_cast<double>(n[1] / size),
                       static_cast<double>(n[2] / size)});
  }
}

Ray MeshOracle::vertex(int i) const {
  return {mesh_.vertices(i, 0), mesh_.vertices(i, 1), mesh_.vertices(i, 2)};
}
std::array<Ray, 3> MeshOracle::corners(int t) const {
  return {vertex(mesh_.triangles(t, 0)), vertex(mesh_.triangles(t, 1)),
          vertex(mesh_.triangles(t, 2))};
}

double MeshOracle::area() const {
  Real sum = 0;
  for (int t = 0; t < triangles_; ++t) {
    auto const [ra, rb, rc] = corners(t);
    Vector const a = wide(ra), b = wide(rb), c = wide(rc);
    sum += 2 * std::atan2(volume(a, b, c), 1 + inner(a, b) + inner(b, c) + inner(c, a));
  }
  return static_cast<double>(sum);
}

void MeshOracle::check_triangles() const {
  if (!sound_) return;
  int const vertices = mesh_.vertices.extent_int(0);
  for (int t = 0; t < triangles_; ++t) {
    auto const [ra, rb, rc] = corners(t);
    Vector const a = wide(ra), b = wide(rb), c = wide(rc);
    Real const det = volume(a, b, c);
    if (!(det > 0)) complain_(text("triangle ", t, " has determinant ", det));
    if (mesh_.triangles(t, 0) > std::min(mesh_.triangles(t, 1), mesh_.triangles(t, 2)))
      complain_(text("triangle ", t, " does not begin with its least corner"));
    Vector const ab = minus(b, a), ac = minus(c, a), n = outer(ab, ac);
    Real const sides = length(ab) + length(ac);
    for (int const i : used_) {
      Vector const ap = minus(wide(vertex(i)), a);
      // Rounding moves each of the four points by u in every coordinate.
      Real const bound = 8 * u * (length(n) + sides * sides + length(ap) * sides);
      if (inner(n, ap) > bound)
        complain_(
            text("vertex ", i, " is beyond triangle ", t, " by ", inner(n, ap), " > ", bound));
    }
  }
  for (int i = 0; i < vertices; ++i)
    if (!used_.contains(i) && !has_twin(i)) complain_(text("vertex ", i, " is in no triangle"));
  int const euler = static_cast<int>(used_.size()) - edges_ + triangles_;
  int const expected = border_edges_.empty() ? 2 : 1;
  if (euler != expected) complain_(text("Euler's number is ", euler, ", not ", expected));
  Real region = 4 * std::numbers::pi_v<Real>;
  if (!border_edges_.empty()) {
    std::map<int, int> next;
    for (auto const& [a, b] : border_edges_) {
      if (!next.try_emplace(a, b).second) complain_(text("the border touches itself in ", a));
    }
    region = 2 * std::numbers::pi_v<Real>;
    int length_of_loop = 0;
    int const start = border_edges_[0][0];
    for (int p = start; length_of_loop == 0 || p != start; ++length_of_loop) {
      if (!next.contains(p) || !next.contains(next[p]) ||
          length_of_loop > static_cast<int>(border_edges_.size())) {
        complain_("the border is no loop");
        return;
      }
      int const q = next[p], r = next[q];
      Vector const at = wide(vertex(q));
      Vector const before = outer(wide(vertex(p)), minus(at, wide(vertex(p))));
      Vector const after = outer(at, minus(wide(vertex(r)), at));
      region -= std::atan2(inner(at, outer(before, after)), inner(before, after));
      p = q;
    }
    if (length_of_loop != static_cast<int>(border_edges_.size()))
      complain_("the border has more than one loop");
    for (std::size_t e = 0; e < border_.size(); ++e) {
      Vector const n = wide(border_[e]);
      Vector const edge =
          minus(wide(vertex(border_edges_[e][1])), wide(vertex(border_edges_[e][0])));
      for (int const i : used_) {
        // The plane of a short edge is uncertain far away from it.
        Real const far = length(minus(wide(vertex(i)), wide(vertex(border_edges_[e][0]))));
        Real const bound = 32 * u * (1 + far / length(edge)) + narrow;
        if (inner(n, wide(vertex(i))) < -bound)
          complain_(text("vertex ", i, " is outside the border at ", border_edges_[e][0], " by ",
                         -inner(n, wide(vertex(i))), " > ", bound));
      }
    }
  }
  // Angles of a triangle that is nearly half a sphere are uncertain.
  if (std::abs(area() - region) > 1e-6L * (region + 0x1p-6L))
    complain_(text("areas sum to ", area(), ", the region has ", region));
}

bool MeshOracle::has_twin(int i) const {
  for (int j = 0; j < mesh_.vertices.extent_int(0); ++j)
    if (j != i && length(minus(wide(vertex(i)), wide(vertex(j)))) < 0x1p-20L) return true;
  return false;
}

void MeshOracle::check_samples(int samples) const {
  if (!sound_) return;
  if (mesh_.samples.extent_int(0) != samples || mesh_.weights.extent_int(0) != samples ||
      mesh_.triangle_offsets.extent_int(0) != triangles_ + 1 || mesh_.triangle_offsets(0) != 0 ||
      mesh_.triangle_offsets(triangles_) != samples) {
    complain_(text("has ", mesh_.samples.extent_int(0), " samples, not ", samples));
    return;
  }
  for (int t = 0; t < triangles_; ++t) {
    auto const [ra, rb, rc] = corners(t);
    Vector const a = wide(ra), b = wide(rb), c = wide(rc);
    Real const det = volume(a, b, c);
    for (int i = mesh_.triangle_offsets(t); i < mesh_.triangle_offsets(t + 1); ++i) {
      Vector const s{mesh_.samples(i, 0), mesh_.samples(i, 1), mesh_.samples(i, 2)};
      if (std::abs(inner(s, s) - 1) > 8 * u) complain_(text("sample ", i, " is no unit ray"));
      Real const w[3] = {inner(s, outer(b, c)) / det, inner(s, outer(c, a)) / det,
                         inner(s, outer(a, b)) / det};
      for (int k = 0; k < 3; ++k) {
        // The weights of a ray are as uncertain as the volumes that they are quotients of.
        Real const bound = 16 * u * (1 + w[0] + w[1] + w[2]) / det;
        if (!(mesh_.weights(i, k) >= 0) || !(std::abs(mesh_.weights(i, k) - w[k]) <= bound))
          return complain_(text("weight ", k, " of sample ", i, " in triangle ", t, " is ",
                                mesh_.weights(i, k), ", not ", w[k], " within ", bound));
      }
    }
  }
}

double MeshOracle::depth_in_region(Ray const& ray) const {
  double least = 2;
  for (Ray const& n : border_)
    least = std::min(least, n[0] * ray[0] + n[1] * ray[1] + n[2] * ray[2]);
  return least;
}

void MeshOracle::check_none_is_missing(double lowest, double highest,
                                       std::function<bool(Ray const&)> const& visible) const {
  if (!sound_) return;
  std::set<Ray> samples;
  int const count = mesh_.samples.extent_int(0);
  for (int i = 0; i < count; ++i)
    samples.insert({mesh_.samples(i, 0), mesh_.samples(i, 1), mesh_.samples(i, 2)});
  if (static_cast<int>(samples.size()) != count) complain_("a sample is there twice");
  int found = 0;
  for (std::uint64_t i = 0; found < count && i < 10'000'000; ++i) {
    auto const p = detail::sphere_point(i, lowest, highest);
    Ray const ray{p[0], p[1], p[2]};
    if (samples.contains(ray)) {
      ++found;
      if (depth_in_region(ray) < -narrow) complain_(text("ray ", i, " is outside, and a sample"));
    } else if (visible(ray) && depth_in_region(ray) > narrow) {
      complain_(text("ray ", i, " is inside by ", depth_in_region(ray), ", and no sample"));
      return;
    }
  }
  if (found != count) complain_("a sample is none of the sequence");
}

void MeshOracle::check_ray(Ray const& ray, int found) const {
  if (!sound_) return;
  Vector const s = wide(ray);
  double const depth = depth_in_region(ray);
  int inside = 0;
  bool on_an_edge = false;
  Real least_of_found = -1;
  for (int t = 0; t < triangles_; ++t) {
    auto const [ra, rb, rc] = corners(t);
    Vector const p[3] = {wide(ra), wide(rb), wide(rc)};
    Real least = 2;
    for (int k = 0; k < 3; ++k) {
      Vector const &b = p[(k + 1) % 3], &c = p[(k + 2) % 3];
      Vector const bc = minus(c, b);
      least = std::min(least, inner(minus(s, b), outer(b, bc)));
    }
    constexpr Real rounding = 16 * u;
    inside += least > rounding;
    on_an_edge = on_an_edge || std::abs(least) <= rounding;
    if (t == found) least_of_found = least + rounding;
  }
  auto const where = text(ray[0], " ", ray[1], " ", ray[2]);
  if (inside > 1) complain_(text("ray ", where, " is in ", inside, " triangles"));
  if (depth > narrow && inside == 0 && !on_an_edge)
    complain_(text("ray ", where, " is inside by ", depth, ", and in no triangle"));
  if (depth < -narrow && inside > 0)
    complain_(text("ray ", where, " is outside, and in a triangle"));
  if (found < 0 && depth > narrow) complain_(text("ray ", where, " is not found"));
  if (found >= 0 && least_of_found < 0)
    complain_(text("ray ", where, " is found in triangle ", found, ", where it is not"));
}

std::vector<std::array<Ray, 3>> MeshOracle::triangles_by_place() const {
  std::vector<std::array<Ray, 3>> all;
  for (int t = 0; t < triangles_; ++t) {
    auto places = corners(t);
    std::ranges::rotate(places, std::ranges::min_element(places));
    all.push_back(places);
  }
  std::ranges::sort(all);
  return all;
}

}  // namespace carroll::test
