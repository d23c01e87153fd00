// SPDX-License-Identifier: BSD-3-Clause
#include "hostile/mesh/drawn_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

namespace carroll::test {

namespace {

constexpr double pi = std::numbers::pi;

}  // namespace

Ray unit(Ray const& p) {
  double const length = std::hypot(p[0], p[1], p[2]);
  return {p[0] / length, p[1] / length, p[2] / length};
}

Ray random_ray(Random& random) {
  Ray p{};
  do p = {random.normal(), random.normal(), random.normal()};
  while (std::hypot(p[0], p[1], p[2]) < 1e-3);
  return unit(p);
}

int some(Random& random, int least, int most) {
  double const size =
      std::pow(static_cast<double>(most) / least, random.uniform() * random.uniform());
  return std::clamp(static_cast<int>(least * size), least, most);
}

SeenBy random_camera(Random& random, int width, int height) {
  std::ostringstream name;
  int const model = random.index(5);
  if (model == 0) return {Camera<double>::equirectangular(width, height), "equirectangular"};
  if (model == 1) {
    double const chi = 0.2 + 1.2 * random.uniform();
    double const f = width * (0.3 + random.uniform());
    name << "unified, chi " << chi << ", f " << f;
    return {Camera<double>::unified(width, height, f, f, width / 2.0, height / 2.0, chi),
            name.str()};
  }
  double const degrees = 20 + 130 * random.uniform();
  double const f = width / (2 * std::tan(degrees * pi / 360));
  bool const centred = random.chance(0.5);
  name << "pinhole of " << degrees << " degrees" << (centred ? "" : ", off centre");
  double const cx = centred ? (width - 1) / 2.0 : width * (0.4 + 0.2 * random.uniform());
  double const cy = centred ? (height - 1) / 2.0 : height * (0.4 + 0.2 * random.uniform());
  return {Camera<double>::unified(width, height, f, f, cx, cy, 0), name.str()};
}

std::vector<Pixel> random_corners(Random& random, Camera<double> const& camera, int count,
                                  std::string& name) {
  double const w = camera.width - 1, h = camera.height - 1;
  double const margin = random.index(4);
  std::vector<Pixel> corners;
  auto const add = [&](double u, double v) { corners.push_back({u, v}); };
  auto const whole = [&](double most) {
    return margin + std::floor(random.uniform() * (most + 1 - 2 * margin));
  };
  auto const on_the_border = [&] {
    switch (random.index(4)) {
      case 0: return add(whole(w), margin);
      case 1: return add(whole(w), h - margin);
      case 2: return add(margin, whole(h));
      default: return add(w - margin, whole(h));
    }
  };
  int const layout = random.index(11);
  switch (layout) {
    case 0: {
      name = "grid";
      int const columns = 2 + random.index(std::max(1, static_cast<int>(2 * std::sqrt(count)) - 1));
      int const rows = std::max(2, count / columns);
      for (int j = 0; j < rows; ++j)
        for (int i = 0; i < columns; ++i)
          add(margin + i * (w - 2 * margin) / (columns - 1),
              margin + j * (h - 2 * margin) / (rows - 1));
      break;
    }
    case 1:
      name = "pixels";
      for (int i = 0; i < count; ++i) add(whole(w), whole(h));
      break;
    case 2:
      name = "between pixels";
      for (int i = 0; i < count; ++i) add(w * random.uniform(), h * random.uniform());
      break;
    case 3:
      name = "on the border";
      for (int i = 0; i < count; ++i) on_the_border();
      break;
    case 4:
      name = "on the border and inside";
      for (int i = 0; i < count; ++i) {
        if (random.chance(0.5))
          on_the_border();
        else
          add(whole(w), whole(h));
      }
      break;
    case 5: {
      name = "in a row";
      double const v = whole(h);
      bool const column = random.chance(0.3);
      for (int i = 0; i < count; ++i) column ? add(std::min(v, w), whole(h)) : add(whole(w), v);
      if (random.chance(0.5)) add(whole(w), whole(h));
      break;
    }
    case 6: {
      name = "clusters";
      double const size = std::pow(10, 1 - 8 * random.uniform());
      int const clusters = 1 + random.index(6);
      std::vector<Pixel> centres;
      for (int i = 0; i < clusters; ++i) centres.push_back({whole(w), whole(h)});
      for (int i = 0; i < count; ++i) {
        auto const& c = centres[static_cast<std::size_t>(random.index(clusters))];
        add(std::clamp(c[0] + size * random.normal(), 0.0, w),
            std::clamp(c[1] + size * random.normal(), 0.0, h));
      }
      break;
    }
    case 7: {
      name = "on lines";
      int const lines = 1 + random.index(4);
      for (int l = 0; l < lines; ++l) {
        Pixel const a{whole(w), whole(h)}, b{whole(w), whole(h)};
        for (int i = 0; i < count / lines + 1; ++i) {
          double const t = random.chance(0.5) ? random.uniform() : i / (count / lines + 1.0);
          add(a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]));
        }
      }
      break;
    }
    case 8: {
      name = "twins";
      for (int i = 0; i < count; ++i) {
        if (!corners.empty() && random.chance(0.5)) {
          auto c =
              corners[static_cast<std::size_t>(random.index(static_cast<int>(corners.size())))];
          if (random.chance(0.3)) c[0] = std::min(w, c[0] + std::pow(10, -14 * random.uniform()));
          corners.push_back(c);
        } else {
          add(whole(w), whole(h));
        }
      }
      break;
    }
    case 9: {
      name = "on a circle";
      double const r = 0.45 * std::min(w, h) * random.uniform();
      for (int i = 0; i < count; ++i) {
        double const turn = 2 * pi * i / count;
        add(w / 2 + r * std::cos(turn), h / 2 + r * std::sin(turn));
      }
      if (random.chance(0.3)) add(w / 2, h / 2);
      break;
    }
    default:
      name = "in few rows";
      int const rows = 2 + random.index(3);
      for (int i = 0; i < count; ++i) add(whole(w), margin + random.index(rows));
  }
  return corners;
}

std::vector<Ray> random_points(Random& random, int count, std::string& name) {
  std::vector<Ray> points;
  switch (random.index(8)) {
    case 0:
      name = "all round";
      for (int i = 0; i < count; ++i) points.push_back(random_ray(random));
      break;
    case 1: {
      name = "above a height";
      double const height = 1.8 * random.uniform() - 0.9;
      while (static_cast<int>(points.size()) < count) {
        Ray const p = random_ray(random);
        if (p[2] > height) points.push_back(p);
      }
      break;
    }
    case 2: {
      name = "half a sphere and its edge";
      for (int i = 0; i < count; ++i) {
        Ray p = random_ray(random);
        p[2] = random.chance(0.5) ? 0 : std::abs(p[2]);
        points.push_back(unit(p));
      }
      break;
    }
    case 3: {
      name = "meridians and parallels";
      int const n = std::max(2, static_cast<int>(std::sqrt(count / 2.0)));
      for (int j = 0; j <= n; ++j)
        for (int i = 0; i < 2 * n; ++i)
          points.push_back({std::cos(pi * i / n) * std::sin(pi * j / n),
                            std::sin(pi * i / n) * std::sin(pi * j / n), std::cos(pi * j / n)});
      break;
    }
    case 4: {
      name = "a cube's lattice";
      int const n = std::max(1, static_cast<int>(std::sqrt(count / 6.0)));
      for (int face = 0; face < 6; ++face)
        for (int i = -n; i <= n; ++i)
          for (int j = -n; j <= n; ++j) {
            Ray p{};
            auto const axis = static_cast<std::size_t>(face / 2);
            p[axis] = face % 2 == 0 ? n : -n;
            p[(axis + 1) % 3] = i;
            p[(axis + 2) % 3] = j;
            points.push_back(unit(p));
          }
      break;
    }
    case 5:
      name = "opposites";
      for (int i = 0; i < (count + 1) / 2; ++i) {
        Ray const p = random_ray(random);
        points.push_back(p);
        points.push_back({-p[0], -p[1], -p[2]});
      }
      points.push_back(random_ray(random));
      break;
    case 6: {
      name = "nearly on a great circle";
      double const size = std::pow(10, -17 * random.uniform());
      Ray const axis = random_ray(random);
      for (int i = 0; i < count; ++i) {
        Ray p = random_ray(random);
        double const height = p[0] * axis[0] + p[1] * axis[1] + p[2] * axis[2];
        for (std::size_t k = 0; k < 3; ++k) p[k] += axis[k] * (size * random.symmetric() - height);
        points.push_back(unit(p));
      }
      break;
    }
    default: {
      name = "a small patch";
      double const size = std::pow(10, -5 * random.uniform());
      Ray const middle = random_ray(random);
      for (int i = 0; i < count; ++i) {
        Ray p = random_ray(random);
        for (std::size_t k = 0; k < 3; ++k) p[k] = middle[k] + size * p[k];
        points.push_back(unit(p));
      }
    }
  }
  return points;
}

void paint(Random& random, HostPicture const& image, std::string& name) {
  int const height = image.extent_int(0), width = image.extent_int(1);
  int const kind = random.index(8);
  int const step = 2 + random.index(12);
  constexpr char const* names[] = {"noise",   "chequers", "squares",       "stripes",
                                   "nothing", "frame",    "noise and NaN", "few dots"};
  name = names[kind];
  auto const fill = [&](auto const& grey) {
    for (int v = 0; v < height; ++v)
      for (int u = 0; u < width; ++u) image(v, u) = static_cast<float>(grey(u, v));
  };
  switch (kind) {
    case 1: return fill([&](int u, int v) { return (u / step + v / step) % 2 * 200; });
    case 3: return fill([&](int u, int) { return u / step % 2 * 200; });
    case 4: return fill([&](int, int) { return 77; });
    case 5:
      return fill([&](int u, int v) {
        bool const inside = u >= step && v >= step && u + step < width && v + step < height;
        return inside ? random.index(256) : 0;
      });
    case 2:
    case 7:
      fill([&](int, int) { return 20; });
      for (int i = 0; i < 30; ++i) {
        int const left = random.index(width), top = random.index(height);
        int const size = kind == 7 ? 1 : step;
        int const grey = random.index(256);
        for (int v = top; v < std::min(top + size, height); ++v)
          for (int u = left; u < std::min(left + size, width); ++u)
            image(v, u) = static_cast<float>(grey);
      }
      return;
    default: fill([&](int, int) { return random.index(256); });
  }
  if (kind == 6)
    for (int i = 0; i < 20; ++i)
      image(random.index(height), random.index(width)) = i % 2 == 0 ? std::nanf("") : HUGE_VALF;
}

}  // namespace carroll::test
