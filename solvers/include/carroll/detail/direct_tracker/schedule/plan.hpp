// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/direct_tracker/depth_search/problem.hpp>
#include <carroll/detail/direct_tracker/problem.hpp>
#include <carroll/detail/direct_tracker/schedule/levels.hpp>
#include <carroll/direct_tracker/types.hpp>
#include <vector>

/// The passes of a frame, which the host enqueues without knowing what they find.
///
/// A level's first pass has the brightness alone: at the coarsest level it fits that of the start,
/// at every other one it looks at the start once more, which what the level before has found then
/// has to better. Motions in space begin with a turn alone, for which depths do not matter. With
/// `search`, the three coarsest levels are gone through from several ways that lead along the axes,
/// with the depths fitted to each before it is free; where the cost is least in the end, the finer
/// levels go on.
namespace carroll::detail {

/// Of the conjugate gradients of a step. What they leave is made good by the next pass, but four
/// times as much decides which motion columns count as dependent: with 0.02 that holds ways fast
/// which narrow pictures tell from turns.
inline constexpr double solver_tolerance = 5e-3;

/// Levels on which depths may jump, the finest ones: on all of them KITTI's pictures side by side
/// end 0.74° off in the median, on these two 0.62°, on none 0.70° (δ = 0.3).
inline constexpr int levels_with_jumps = 2;

/// What becomes the trial after the last pass of a stage.
enum class TrackerNext : int {
  go_on,      ///< the step, on the next level
  look,       ///< the start, and the step afterwards
  candidate,  ///< the start, with another way
  best,       ///< the start, and the best candidate afterwards
  depths,     ///< the best candidate with the start's depths, around which both are searched
};

/// A pass, as its launch knows it.
struct TrackerPass {
  int level = 0;
  int const* seen = nullptr;  ///< rows that the reference image reaches
  TrackerColumns columns;
  int first = 0;         ///< of all
  int looks = 0;         ///< at the start
  int may_converge = 1;  ///< a level that promises little ends
  int searches = 0;      ///< belongs to a candidate
  int last = 0;          ///< of its stage: TrackerNext follows
  TrackerNext next = TrackerNext::go_on;
  float way[3] = {};  ///< of the next candidate
  float spread = 0;   ///< depths: the first angle between that way and others, rad
};

/// Passes of a candidate: of the brightness, the turn, turn and depths, and all, on the coarsest
/// level and the next two. Chosen on the real pictures of perf/tracker: a tilt by 45° takes five
/// passes of the turn, and of a turning car's pictures a sideways way may cost less than the right
/// one as long as only two levels are looked at.
inline constexpr int search_levels = 3;
inline constexpr int candidate_passes[search_levels][4] = {
    {1, 5, 4, 2}, {0, 0, 3, 4}, {0, 0, 0, 6}};
inline constexpr int start_candidates = 7;
/// Of what a search over depths has found, on the last of these levels.
inline constexpr int depth_passes[4] = {1, 0, 0, 8};
inline constexpr int depth_searches = 4;
inline constexpr float depth_spreads[depth_searches] = {0.14F, 0.1F, 0.06F, 0.03F};
/// Of the turn alone, without a search.
inline constexpr int turn_passes = 4;

class TrackerPlan {
 public:
  TrackerPlan(DirectTrackerOptions const& options, std::vector<TrackerLevel> const& levels)
      : options_(options), levels_(levels), coarsest_(static_cast<int>(levels.size()) - 1) {
    bool const in_space = options.motion == TrackerMotion::se3;
    int from = coarsest_;
    if (in_space && options.search && coarsest_ >= 1) {
      int const searched = std::min(search_levels, std::max(2, coarsest_));
      search(searched);
      from = std::max(0, coarsest_ - searched);
    }
    for (int l = from; l >= 0; --l) {
      int const count = level(l).passes;
      int const turns = in_space && passes_.empty() ? std::clamp(count - 2, 0, turn_passes) : 0;
      stage(l, {1, turns, 0, std::max(0, count - 1 - turns)});
      if (l > 0) finish(TrackerNext::look);
    }
    passes_.front().first = 1;
  }

  [[nodiscard]] std::vector<TrackerPass> const& passes() const { return passes_; }

 private:
  [[nodiscard]] TrackerLevel const& level(int l) const {
    return levels_[static_cast<std::size_t>(l)];
  }

  /// Passes of each kind on a level; the last kind may converge, as its promise tells if depths are
  /// free.
  void stage(int l, int const (&counts)[4], bool searches = false) {
    float const on = options_.brightness ? 1.0F : 0.0F;
    float const free = level(l).holds_depths ? 0.0F : 1.0F;
    TrackerColumns const kinds[4] = {
        {0, 0, 0, on}, {1, 0, 0, on}, {1, 0, free, on}, {1, 1, free, on}};
    for (int kind = 0; kind < 4; ++kind)
      for (int i = 0; i < counts[kind]; ++i) {
        TrackerPass pass;
        pass.level = l;
        pass.columns = kinds[kind];
        pass.may_converge = kind == 3 && !level(l).holds_depths;
        pass.searches = searches;
        pass.looks = !searches && kind == 0 && !passes_.empty();
        passes_.push_back(pass);
      }
    passes_.back().last = 1;
  }
  void finish(TrackerNext next) { passes_.back().next = next; }

  void search(int levels) {
    constexpr float ways[start_candidates][3] = {{0, 0, 0},  {1, 0, 0}, {-1, 0, 0}, {0, 1, 0},
                                                 {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    for (int k = 0; k < start_candidates; ++k) {
      for (int l = 0; l < levels; ++l) stage(coarsest_ - l, candidate_passes[l], true);
      bool const all = k + 1 == start_candidates;
      finish(!all                        ? TrackerNext::candidate
             : searches_depths(options_) ? TrackerNext::depths
                                         : TrackerNext::best);
      for (int a = 0; a < 3 && !all; ++a) passes_.back().way[a] = ways[k + 1][a];
    }
    for (int k = 0; k < depth_searches && searches_depths(options_); ++k) {
      passes_.back().spread = depth_spreads[k];
      stage(coarsest_ - levels + 1, depth_passes, true);
      finish(k + 1 == depth_searches ? TrackerNext::best : TrackerNext::depths);
    }
  }

  DirectTrackerOptions options_;
  std::vector<TrackerLevel> levels_;
  int coarsest_;
  std::vector<TrackerPass> passes_;
};

}  // namespace carroll::detail
