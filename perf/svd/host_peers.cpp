// SPDX-License-Identifier: BSD-3-Clause
#include "svd/host_peers.hpp"

#include <stdexcept>
#include <vector>

#include "libraries/host_library.hpp"
#include "libraries/lapack.hpp"

namespace carroll::perf {
namespace {

template <class Real>
class HostPeer final : public SvdContender<Real> {
 public:
  HostPeer(HostDriver driver, SvdShape const& shape, std::span<Real const> A, int threads)
      : driver_(driver),
        shape_(shape),
        threads_(shape.batch, threads),
        input_(A.begin(), A.end()),
        work_copy_(input_),
        S_(static_cast<std::size_t>(shape.batch) * shape.rank()),
        scratch_(threads_.over_members) {
    if (shape.vectors) {
      U_.resize(shape.batch * shape.u_size());
      V_.resize(shape.batch * shape.v_size());
    }
    auto const lwork = workspace_size();
    for (auto& scratch : scratch_) {
      scratch.work.resize(lwork);
      scratch.integers.resize(integers_size());
    }
  }

  void load(std::span<Real const> A) override { input_.assign(A.begin(), A.end()); }

  void restore() override {
    work_copy_ = input_;
    set_library_threads(threads_.in_library);
  }

  void run() override {
    failures_ = failures_of(shape_.batch, threads_, 1, [this](int member, int thread) {
      return solve(member, scratch_[thread]);
    });
  }

  SvdSolution<Real> solution(std::span<int const> members) override {
    SvdSolution<Real> result;
    result.S = S_;
    if (!shape_.vectors) return result;
    bool const jacobi = driver_ == HostDriver::gesvj || driver_ == HostDriver::gejsv;
    // m ≥ n: gesvj's U overwrites A and has its extents
    auto const& U = driver_ == HostDriver::gesvj ? work_copy_ : U_;
    auto const n = static_cast<std::size_t>(shape_.cols),
               r = static_cast<std::size_t>(shape_.rank());
    for (int const member : members) {
      auto const u = U.begin() + static_cast<std::ptrdiff_t>(member * shape_.u_size());
      result.U.insert(result.U.end(), u, u + static_cast<std::ptrdiff_t>(shape_.u_size()));
      Real const* const v = V_.data() + member * shape_.v_size();
      for (std::size_t j = 0; j < r; ++j)
        for (std::size_t i = 0; i < n; ++i)
          result.V.push_back(jacobi ? v[i + j * n] : v[j + i * r]);
    }
    return result;
  }

  std::string complaint() override { return complaint_of(failures_); }

 private:
  struct Scratch {
    std::vector<Real> work;
    std::vector<lapack_int> integers;
  };

  std::size_t workspace_size() {
    auto const m = static_cast<std::size_t>(shape_.rows), n = static_cast<std::size_t>(shape_.cols);
    if (driver_ == HostDriver::gesvj) return std::max<std::size_t>(6, m + n);
    if (driver_ == HostDriver::gejsv) return 2 * m + 7 * n + 2 * n * n + 7;  // all jobs fit
    Scratch query;
    query.work.resize(1);
    query.integers.resize(integers_size());
    if (call(0, query, -1) != 0) throw std::runtime_error("LAPACK: workspace query failed");
    return static_cast<std::size_t>(query.work[0]) + 1;
  }

  std::size_t integers_size() const {
    auto const m = static_cast<std::size_t>(shape_.rows), n = static_cast<std::size_t>(shape_.cols);
    return driver_ == HostDriver::gejsv ? m + 3 * n : 8 * static_cast<std::size_t>(shape_.rank());
  }

  lapack_int solve(int member, Scratch& scratch) {
    return call(member, scratch, static_cast<lapack_int>(scratch.work.size()));
  }

  lapack_int call(int member, Scratch& scratch, lapack_int lwork) {
    lapack_int const m = shape_.rows, n = shape_.cols, r = shape_.rank();
    Real* const a = work_copy_.data() + member * shape_.matrix_size();
    Real* const s = S_.data() + static_cast<std::size_t>(member) * r;
    Real* const u = shape_.vectors ? U_.data() + member * shape_.u_size() : a;
    Real* const v = shape_.vectors ? V_.data() + member * shape_.v_size() : a;
    char const job = shape_.vectors ? 'S' : 'N';
    Real* const work = scratch.work.data();
    switch (driver_) {
      case HostDriver::gesdd:
        return Lapack<Real>::gesdd(LAPACK_COL_MAJOR, job, m, n, a, m, s, u, m, v, r, work, lwork,
                                   scratch.integers.data());
      case HostDriver::gesvd:
        return Lapack<Real>::gesvd(LAPACK_COL_MAJOR, job, job, m, n, a, m, s, u, m, v, r, work,
                                   lwork);
      case HostDriver::gejsv: {
        // 'C': high relative accuracy for A = C·D with arbitrary diagonal D; 'R': columns below
        // what the drivers' range allows are zero; no transposition, no perturbation.
        lapack_int const info = Lapack<Real>::gejsv(
            LAPACK_COL_MAJOR, 'C', shape_.vectors ? 'U' : 'N', shape_.vectors ? 'V' : 'N', 'R', 'N',
            'N', m, n, a, m, s, u, m, v, n, work, lwork, scratch.integers.data());
        for (lapack_int i = 0; i < r; ++i) s[i] *= work[0] / work[1];
        return info;
      }
      case HostDriver::gesvj: break;
    }
    lapack_int const info =
        Lapack<Real>::gesvj(LAPACK_COL_MAJOR, 'G', shape_.vectors ? 'U' : 'N',
                            shape_.vectors ? 'V' : 'N', m, n, a, m, s, 0, v, n, work, lwork);
    for (lapack_int i = 0; i < r; ++i)
      s[i] *= work[0];  // gesvj returns S scaled, to avoid overflow
    return info;
  }

  HostDriver driver_;
  SvdShape shape_;
  HostThreads threads_;
  std::vector<Real> input_, work_copy_, U_, S_, V_;
  std::vector<Scratch> scratch_;
  int failures_ = 0;
};

}  // namespace

std::string_view to_string(HostDriver driver) {
  switch (driver) {
    case HostDriver::gesdd: return "gesdd";
    case HostDriver::gesvd: return "gesvd";
    case HostDriver::gesvj: return "gesvj";
    case HostDriver::gejsv: return "gejsv";
  }
  return "?";
}

template <class Real>
std::unique_ptr<SvdContender<Real>> make_host_peer(HostDriver driver, SvdShape const& shape,
                                                   std::span<Real const> A, int threads) {
  return std::make_unique<HostPeer<Real>>(driver, shape, A, threads);
}
template std::unique_ptr<SvdContender<float>> make_host_peer(HostDriver, SvdShape const&,
                                                             std::span<float const>, int);
template std::unique_ptr<SvdContender<double>> make_host_peer(HostDriver, SvdShape const&,
                                                              std::span<double const>, int);

}  // namespace carroll::perf
