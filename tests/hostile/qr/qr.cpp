// SPDX-License-Identifier: BSD-3-Clause
// QR factorisations under fire: batches of matrices of any kind and shape, alone, in other company,
// other layouts, ragged, scaled column by column, with thin, full and no Q.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "hostile/batch_round.hpp"
#include "hostile/qr/draws.hpp"
#include "support/qr/checks.hpp"
#include "support/qr/drivers.hpp"

namespace carroll::test {

std::string_view const hostile_name = "hostile_qr";
std::string_view const hostile_about =
    "Factorises random batches of real and complex matrices that hurt, with and without pivoting, "
    "on every path, and compares each member with itself alone, with other neighbours, layouts, "
    "outputs and scales, and Q*R with A in extended precision.";
std::string_view const hostile_kinds = "automatic,team,host_block,tiled,slim,tall,pivoted,complex";

template <class Value, class Function>
void outputs_of(HostQr<Value>& result, Function const& f) {
  f(result.R.data);
  f(result.Q.data);
}

namespace {

template <class Value>
class QrRound : public BatchRound<RealOf<Value>, HostMatrix<Value>, HostQr<Value>, QrCall> {
  using Real = RealOf<Value>;
  using Base = BatchRound<Real, HostMatrix<Value>, HostQr<Value>, QrCall>;
  using Base::all_, Base::members_, Base::random_;

 public:
  QrRound(Round& round, std::string_view kind) : Base(round) {
    pivoted_ = kind == "pivoted" || (kind.empty() && random_.chance(0.4));
    int const path = random_.index(8);
    if (kind == "team" || (kind.empty() && path < 2)) options_.path = QrPath::team;
    if (kind == "host_block" || (kind.empty() && path == 2)) options_.path = QrPath::host_block;
    if (kind == "tiled" || (kind.empty() && path == 3)) options_.path = QrPath::tiled;
    if (kind == "slim" || (kind.empty() && path == 4)) options_.path = QrPath::slim;
    if (kind == "tall" || (kind.empty() && random_.chance(0.02))) options_.path = QrPath::tall;
    if (random_.chance(0.1)) options_.rank_tolerance = random_.uniform() / 2;
  }

 private:
  static constexpr int most_full = 1000;

  /// With `tiled` columns so long that several teams share them, with `tall` two to four blocks.
  Shape draw_shape_for_path() {
    if (options_.path == QrPath::tall) {
      int const more = on_device && random_.chance(0.01) ? 300'000 : 2500;
      return {1025 + random_.index(more), random_.index(17)};
    }
    int const slim = random_.index(17);
    if (options_.path == QrPath::slim)
      return {random_.index(1 + (slim > 8 ? 128 : slim > 4 ? 256 : 512)), slim};
    if (options_.path != QrPath::tiled || !random_.chance(0.02)) return draw_shape(random_);
    return {most_full + random_.index(1500), 1 + random_.index(40)};
  }

  int draw_count() override {
    shape_ = draw_shape_for_path();
    return this->count_within(60000, shape_.m * shape_.n * std::min(shape_.m, shape_.n));
  }

  HostMatrix<Value> draw_member() override {
    drawn_.push_back(draw_for_qr<Value>(random_, shape_));
    return drawn_.back().A;
  }

  QrCall draw_call() override {
    QrCall call;
    call.options = options_;
    call.pivoted = pivoted_;
    QrMode const modes[] = {QrMode::r, QrMode::thin, QrMode::full};
    // A whole basis of very long columns would take all the time there is to check.
    bool const is_long = shape_.m >= most_full && !random_.chance(0.02);
    call.mode = modes[random_.index(is_long ? 2 : 3)];
    call.layout = draw_layout(random_);
    call.workspace = random_.chance(0.3);
    return call;
  }

  QrCall draw_first_call() override {
    QrCall call = draw_call();
    call.mode = shape_.m >= most_full || random_.chance(0.5) ? QrMode::thin : QrMode::full;
    return call;
  }

  std::vector<HostQr<Value>> run_batch(std::vector<HostMatrix<Value>> const& matrices,
                                       QrCall const& call) override {
    return run_qr_batch(matrices, call);
  }
  HostQr<Value> run_alone(HostMatrix<Value> const& A, QrCall const& call) override {
    return run_qr(A, call);
  }

  [[nodiscard]] std::string describe(QrCall const& call, std::size_t b) const override {
    std::ostringstream text;
    text << members_[b].rows << 'x' << members_[b].cols << ' ' << drawn_[b].kind
         << (is_complex<Value> ? ", complex" : "") << (pivoted_ ? ", pivoted" : "") << ", path "
         << to_string(options_.path) << ", mode " << static_cast<int>(call.mode);
    return text.str();
  }

  [[nodiscard]] std::string wrong(std::size_t b) const override {
    auto const& result = all_[b];
    if (drawn_[b].finite) return what_is_wrong(members_[b], result);
    bool const refused = result.info.status == Status::non_finite &&
                         all_nan(parts_of(result.Q.data)) && all_nan(parts_of(result.R.data)) &&
                         result.guarded;
    return refused ? "" : "is not refused";
  }

  void play_variants() override {
    this->ragged(
        [&] { return draw_for_qr<Value>(random_, draw_shape(random_)).A; },
        [](auto const& matrices, QrCall const& call) { return run_qr_ragged(matrices, call); });
    scaled();
  }

  /// Powers of two that columns are multiplied by multiply those of R, bit by bit, and leave Q,
  /// barring under- and overflow; with pivoting all columns are multiplied by the same.
  void scaled() {
    using Limits = std::numeric_limits<Real>;
    std::vector<typename Base::Changed> changed;
    std::vector<std::vector<int>> all_shifts;  // of columns of R
    for (std::size_t b = 0; b < members_.size(); ++b) {
      std::vector<int> shifts;
      for (int j = 0; j < members_[b].cols; ++j)
        shifts.push_back(pivoted_ && j > 0
                             ? shifts[0]
                             : random_.index(Limits::max_exponent / 2) - Limits::max_exponent / 4);
      auto moved = members_[b];
      HostQr<Value> expected = all_[b];
      // Column j of R is of that of A which is moved by this.
      auto const shift_of = [&](int j) {
        auto const from = expected.P.empty() ? j : expected.P[static_cast<std::size_t>(j)];
        return shifts[static_cast<std::size_t>(from)];
      };
      bool usable = drawn_[b].finite;
      for (int j = 0; j < moved.cols; ++j) {
        for (int i = 0; i < moved.rows; ++i)
          usable = move_parts(moved(i, j), shifts[static_cast<std::size_t>(j)]) && usable;
        for (int i = 0; i < expected.R.rows; ++i)
          usable = move_parts(expected.R(i, j), shift_of(j)) && usable;
      }
      if (!usable) continue;
      all_shifts.emplace_back();
      for (int j = 0; j < moved.cols; ++j) all_shifts.back().push_back(shift_of(j));
      changed.push_back({b, std::move(moved), std::move(expected)});
    }
    this->compare_changed("with columns scaled", draw_call(), changed,
                          [&](std::size_t k, HostQr<Value>& expected, HostQr<Value> const& result) {
                            for (int j = 0; j < expected.R.cols; ++j)
                              for (int i = 0; i < std::min(expected.R.rows, result.R.rows); ++i)
                                allow_vanished_parts(expected.R(i, j), result.R(i, j),
                                                     all_shifts[k][static_cast<std::size_t>(j)]);
                          });
  }

  QrOptions options_;
  bool pivoted_ = false;
  Shape shape_{};
  std::vector<DrawnForQr<Value>> drawn_;
};

template <class Real>
using ComplexQrRound = QrRound<Kokkos::complex<Real>>;

}  // namespace

void hostile_round(Round& round, std::string_view kind) {
  if (kind == "complex" || (kind.empty() && round.random.chance(0.4)))
    play_single_or_double<ComplexQrRound>(round, kind);
  else
    play_single_or_double<QrRound>(round, kind);
}

}  // namespace carroll::test
