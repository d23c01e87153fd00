// SPDX-License-Identifier: BSD-3-Clause
#include "compress/patches.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/copy.hpp>
#include <carroll/patch_factors.hpp>
#include <carroll/picture_colours.hpp>
#include <carroll/picture_error.hpp>
#include <carroll/structural_similarity.hpp>
#include <cmath>
#include <vector>

namespace carroll::tool {

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;
using Plane = Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Memory>;
using Pixels = Kokkos::View<std::uint16_t***, Kokkos::LayoutRight, Memory>;

/// Chroma has this part of luma's step: an error of one of its samples is seen in four pixels.
constexpr int chroma_tenths = 5;

PatchBasis basis_named(std::string const& name) {
  if (name == "cosines") return PatchBasis::cosines;
  return name == "singular" ? PatchBasis::singular_vectors : PatchBasis::automatic;
}

Plane plane_of(std::int64_t rows, std::int64_t columns) {
  return Plane(Kokkos::view_alloc(Kokkos::WithoutInitializing, "carroll::tool::plane"),
               static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
}

Pixels pixels_of(PictureShape const& shape) {
  return Pixels(Kokkos::view_alloc(Kokkos::WithoutInitializing, "carroll::tool::pixels"),
                static_cast<std::size_t>(shape.height), static_cast<std::size_t>(shape.width),
                static_cast<std::size_t>(shape.channels));
}

/// One channel of pixels to a plane, or back.
template <bool back>
struct CopyChannel {
  Pixels pixels;
  Plane plane;
  int channel;
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t column) const {
    if constexpr (back)
      pixels(row, column, channel) = static_cast<std::uint16_t>(plane(row, column));
    else
      plane(row, column) = pixels(row, column, channel);
  }
};

template <bool back>
void copy_channel(Exec const& exec, Pixels const& pixels, Plane const& plane, int channel) {
  Kokkos::parallel_for("carroll::tool::copy_channel", detail::pixel_range(exec, plane),
                       CopyChannel<back>{pixels, plane, channel});
}

/// The planes of a picture, group by group as groups_of has them.
std::vector<std::vector<Plane>> planes_of(PictureShape const& shape) {
  std::vector<std::vector<Plane>> groups{{plane_of(shape.height, shape.width)}};
  if (shape.colours()) {
    auto const rows = (shape.height + 1) / 2, columns = (shape.width + 1) / 2;
    groups.push_back({plane_of(rows, columns), plane_of(rows, columns)});
  }
  if (shape.alpha()) groups.push_back({plane_of(shape.height, shape.width)});
  return groups;
}

/// Factors by patch, whatever the device's layout.
void copy_factors(Exec const& exec, PatchFactors<Exec> const& from, PlaneFactors& to) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), from.factors());
  exec.fence("carroll::tool: factors");
  to.factors.resize(static_cast<std::size_t>(64 * to.patches()));
  std::size_t place = 0;
  for (std::int64_t patch = 0; patch < to.patches(); ++patch)
    for (int r = 0; r < 64; ++r) to.factors[place++] = host(patch, r);
  to.vectors = from.vectors();
  to.basis.clear();
  for (int r = 1; r <= to.vectors; ++r)
    for (int s = 1; s < 64; ++s) to.basis.push_back(from.basis(r, s));
}

/// Luma of a picture in levels of 8 bits, for its similarity.
Kokkos::View<double**, Kokkos::LayoutRight, Memory> luma_of(SamplePicture const& picture) {
  Kokkos::View<double**, Kokkos::LayoutRight, Memory> const luma(
      "carroll::tool::luma", static_cast<std::size_t>(picture.height),
      static_cast<std::size_t>(picture.width));
  auto const host = Kokkos::create_mirror_view(luma);
  auto const* level = picture.levels.data();
  for (int v = 0; v < picture.height; ++v)
    for (int u = 0; u < picture.width; ++u, level += picture.channels)
      host(v, u) =
          (picture.channels >= 3 ? .299 * level[0] + .587 * level[1] + .114 * level[2] : level[0]) /
          257;
  Exec const exec;
  detail::copy_view(exec, luma, host);
  exec.fence("carroll::tool: mirror may go");
  return luma;
}

}  // namespace

double psnr_of(SamplePicture const& picture, SamplePicture const& original) {
  // In a fixed order, and of integers: the same bits everywhere.
  double squares = 0;
  for (std::size_t s = 0; s < picture.levels.size(); ++s) {
    double const difference = static_cast<double>(picture.levels[s]) - original.levels[s];
    squares += difference * difference;
  }
  return psnr(squares / static_cast<double>(picture.levels.size()), 65535);
}

double ssim_of(SamplePicture const& picture, SamplePicture const& original) {
  if (picture.width < 11 || picture.height < 11) return picture.levels == original.levels ? 1 : 0;
  return structural_similarity(Exec(), luma_of(picture), luma_of(original), 255).value;
}

PictureQuality quality_of(SamplePicture const& picture, SamplePicture const& original) {
  return {psnr_of(picture, original), ssim_of(picture, original)};
}

struct PatchCoder::Planes {
  Exec exec;
  PictureShape shape;
  PatchFactorOptions options;
  std::vector<std::vector<PatchFactors<Exec>>> groups;
};

PatchCoder::PatchCoder(SamplePicture const& picture, std::string const& basis)
    : planes_(std::make_unique<Planes>()) {
  auto& own = *planes_;
  own.shape = shape_of(picture);
  own.options.basis = basis_named(basis);
  auto const pixels = pixels_of(own.shape);
  detail::copy_to_device(own.exec, pixels.data(), picture.levels.data(), pixels.size());
  auto const planes = planes_of(own.shape);
  if (own.shape.colours())
    split_colours(own.exec, pixels, planes[0][0], planes[1][0], planes[1][1]);
  else
    copy_channel<false>(own.exec, pixels, planes[0][0], 0);
  if (own.shape.alpha())
    copy_channel<false>(own.exec, pixels, planes.back()[0], own.shape.channels - 1);
  for (auto const& group : planes) {
    own.groups.emplace_back();
    for (auto const& plane : group) {
      own.groups.back().push_back(patch_factors(own.exec,
                                                static_cast<std::int64_t>(plane.extent(0)),
                                                static_cast<std::int64_t>(plane.extent(1))));
      load_patches(own.exec, plane, own.groups.back().back());
    }
  }
  own.exec.fence("carroll::tool: planes");
}

PatchCoder::~PatchCoder() = default;

CompressedPicture PatchCoder::code(int step) {
  auto& own = *planes_;
  CompressedPicture picture;
  picture.shape = own.shape;
  picture.code = PictureCode::patches;
  picture.groups = groups_of(own.shape);
  for (std::size_t g = 0; g < own.groups.size(); ++g) {
    bool const chroma = g == 1 && own.shape.colours();
    auto& group = picture.groups[g];
    group.step = chroma ? std::max(patch_least_step, step * chroma_tenths / 10) : step;
    for (std::size_t p = 0; p < own.groups[g].size(); ++p) {
      factorise_patches(own.exec, group.step, own.groups[g][p], own.options);
      copy_factors(own.exec, own.groups[g][p], group.planes[p]);
    }
  }
  return picture;
}

SamplePicture decode_patches(CompressedPicture const& picture) {
  Exec const exec;
  auto const& shape = picture.shape;
  auto const planes = planes_of(shape);
  for (std::size_t g = 0; g < planes.size(); ++g)
    for (std::size_t p = 0; p < planes[g].size(); ++p) {
      auto const& plane = planes[g][p];
      auto const& coded = picture.groups[g].planes[p];
      auto patches = patch_factors(exec, static_cast<std::int64_t>(plane.extent(0)),
                                   static_cast<std::int64_t>(plane.extent(1)));
      set_patch_basis(exec, coded.basis, patches);
      auto const host = Kokkos::create_mirror_view(patches.factors());
      std::size_t place = 0;
      for (std::int64_t patch = 0; patch < coded.patches(); ++patch)
        for (int r = 0; r < 64; ++r) host(patch, r) = coded.factors[place++];
      detail::copy_view(exec, patches.factors(), host);
      assemble_patches(exec, picture.groups[g].step, patches, plane);
      exec.fence("carroll::tool: plane");  // before its patches go
    }
  auto const pixels = pixels_of(shape);
  if (shape.colours())
    join_colours(exec, planes[0][0], planes[1][0], planes[1][1], pixels);
  else
    copy_channel<true>(exec, pixels, planes[0][0], 0);
  if (shape.alpha()) copy_channel<true>(exec, pixels, planes.back()[0], shape.channels - 1);
  SamplePicture decoded = black_picture(shape);
  detail::copy_to_host(exec, decoded.levels.data(), pixels.data(), pixels.size());
  exec.fence("carroll::tool: pixels");
  if (shape.bits == 8)
    for (auto& level : decoded.levels)
      level = static_cast<std::uint16_t>((level + 128) / 257 * 257);
  return decoded;
}

int largest_step(std::function<bool(int)> const& good) {
  if (!good(patch_least_step)) return 0;
  double below = std::log2(patch_least_step),
         above = std::log2(patch_most_step);  // of what is good and what is not
  while (above - below > 0.012) {
    double const middle = (below + above) / 2;
    auto const step = static_cast<int>(std::exp2(middle));
    if (step <= static_cast<int>(std::exp2(below))) break;
    (good(step) ? below : above) = middle;
  }
  return static_cast<int>(std::exp2(below));
}

}  // namespace carroll::tool
