// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tuple>

namespace carroll::perf {

/// Data of the case at hand, in one precision, made once for consecutive contenders.
template <template <class> class Data>
class AtHand {
 public:
  /// `make()` unless they are there.
  template <class Real, class Shape, class Make>
  Data<Real>& get(Shape const& shape, Make const& make) {
    auto& data = std::get<Data<Real>>(data_);
    if (shape != data.shape()) {
      clear();  // before there are new ones
      data = make();
    }
    return data;
  }
  void clear() { data_ = {}; }

 private:
  std::tuple<Data<float>, Data<double>> data_;
};

}  // namespace carroll::perf
