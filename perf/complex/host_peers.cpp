// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "complex/peers.hpp"
#include "libraries/host_library.hpp"
#include "libraries/lapack.hpp"

namespace carroll::perf {
namespace {

template <class Real>
struct ComplexScratch {
  ComplexEntries<Real> work, tau;
  std::vector<Real> values, reals;
  std::vector<lapack_int> ints;
};

template <class Real>
class HostComplex final : public HostContender<ComplexContender<Real>, ComplexScratch<Real>> {
 public:
  using Complex = Kokkos::complex<Real>;
  using Scratch = ComplexScratch<Real>;

  HostComplex(ComplexShape const& shape, ComplexData<Real> const& data, int threads)
      : HostContender<ComplexContender<Real>, Scratch>(shape.batch, threads),
        shape_(shape),
        data_(data),
        A_(data.A.size()),
        left_(shape.job == ComplexJob::svd ? A_.size() : 0),
        right_(shape.members() * shape.right_size()),
        values_(shape.members() * shape.order()) {
    auto const n = shape.order();
    for (Scratch& own : this->own()) {
      // What the routines want at most, blocks of 64 columns included.
      own.work.resize(3 * n * n + 70 * n);
      own.tau.resize(n);
      own.values.resize(n);
      own.reals.resize(n * (5 * n + 110) + 2000);
      own.ints.resize(20 * n + 1000);
    }
  }

  void restore() override {
    A_ = data_.A;
    if (shape_.has_sides()) right_ = data_.B;
    for (std::size_t k = 0; shape_.job == ComplexJob::pinv && k < right_.size(); ++k)
      right_[k] = k % shape_.square() % (shape_.order() + 1) == 0 ? Real(1) : Real(0);
    this->set_threads();
  }
  void run() override {
    this->solve_members([this](std::size_t member, Scratch& own) { return solve(member, own); });
  }
  ComplexSolution<Real> solution() override {
    auto const first = [](auto const& from, std::size_t count) {
      return std::vector(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count));
    };
    auto const A = first(A_, shape_.square());
    auto const values = first(values_, shape_.order());
    auto const right = first(right_, shape_.right_size());
    switch (shape_.job) {
      case ComplexJob::svd: return {first(left_, shape_.square()), values, right};
      case ComplexJob::eigh: return {A, values, A, true};
      case ComplexJob::qr: return {A, {}, right};
      default: return {{}, {}, right};
    }
  }

 private:
  static auto* c(Complex* z) { return complex_of_lapack(z); }

  lapack_int solve(std::size_t member, Scratch& own) {
    using Routines = Lapack<Real>;
    constexpr int order = LAPACK_COL_MAJOR;
    lapack_int const n = shape_.n;
    std::size_t const at = member * shape_.square(), cols = shape_.order();
    Complex* const a = A_.data() + at;
    Complex* const right = right_.data() + member * shape_.right_size();
    Real* const values = values_.data() + member * cols;
    auto* const work = c(own.work.data());
    auto const size = static_cast<lapack_int>(own.work.size());
    lapack_int info = 0;
    switch (shape_.job) {
      case ComplexJob::svd:
        return Routines::complex_gesdd(order, 'S', n, n, c(a), n, values, c(left_.data() + at), n,
                                       c(right), n, work, size, own.reals.data(), own.ints.data());
      case ComplexJob::eigh:
        return Routines::heevd(order, 'V', 'L', n, c(a), n, values, work, size, own.reals.data(),
                               static_cast<lapack_int>(own.reals.size()), own.ints.data(),
                               static_cast<lapack_int>(own.ints.size()));
      case ComplexJob::qr:
        info = Routines::complex_geqrf(order, n, n, c(a), n, c(own.tau.data()), work, size);
        for (std::size_t k = 0; k < shape_.square(); ++k)
          right[k] = k % cols <= k / cols ? a[k] : Complex(0);
        return info != 0 ? info
                         : Routines::ungqr(order, n, n, n, c(a), n, c(own.tau.data()), work, size);
      case ComplexJob::solve:
        return Routines::complex_gesv(order, n, 1, c(a), n, own.ints.data(), c(right), n);
      default: break;
    }
    return Routines::complex_gelsd(order, n, n, shape_.columns(), c(a), n, c(right), n,
                                   own.values.data(),
                                   static_cast<Real>(n) * std::numeric_limits<Real>::epsilon(),
                                   &info, work, size, own.reals.data(), own.ints.data());
  }

  ComplexShape shape_;
  ComplexData<Real> data_;
  ComplexEntries<Real> A_, left_, right_;
  std::vector<Real> values_;
};

char const* host_name(ComplexJob job) {
  switch (job) {
    case ComplexJob::svd: return "lapack_gesdd";
    case ComplexJob::eigh: return "lapack_heevd";
    case ComplexJob::qr: return "lapack_geqrf";
    case ComplexJob::solve: return "lapack_gesv";
    default: return "lapack_gelsd";
  }
}

}  // namespace

template <class Real>
std::vector<ComplexEntrant<Real>> complex_peers(Exec const& exec, ComplexShape const& shape) {
  return {{host_name(shape.job), false,
           [shape, threads = exec.concurrency()](
               ComplexData<Real> const& data) -> std::unique_ptr<ComplexContender<Real>> {
             return std::make_unique<HostComplex<Real>>(shape, data, threads);
           }}};
}

template std::vector<ComplexEntrant<float>> complex_peers(Exec const&, ComplexShape const&);
template std::vector<ComplexEntrant<double>> complex_peers(Exec const&, ComplexShape const&);

}  // namespace carroll::perf
