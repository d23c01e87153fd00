// SPDX-License-Identifier: BSD-3-Clause
// Descents that cannot be: ratings that are no numbers, steps too large, misuse.
#include <gtest/gtest.h>

#include <carroll/sgd.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "recommenders/sgd/models.hpp"

namespace {

using namespace carroll::test;
using carroll::SgdOptions;
using carroll::Status;

template <class Real>
class SgdStatusTest : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SgdStatusTest, Scalars);

template <class Real>
void expect_nan(ModelEntries<Real> const& model) {
  for (auto const* values : {&model.U, &model.V, &model.user_bias, &model.item_bias})
    for (Real const x : *values) EXPECT_TRUE(std::isnan(x));
  EXPECT_TRUE(std::isnan(model.mean));
}

TYPED_TEST(SgdStatusTest, SaysWhatIsNoNumber) {
  auto const ratings = random_triples<TypeParam>(9, 8, 0.5, 2).ratings();
  auto rows = ratings.by_user();
  auto values = on_host(rows.values);
  values[3] = std::numeric_limits<TypeParam>::quiet_NaN();
  rows.values = on_device(values);
  auto model = empty_model<TypeParam>(ratings.users(), ratings.items(), 4);
  EXPECT_EQ(carroll::sgd(Exec(), rows, model).status, Status::non_finite);
  expect_nan(host_model(model));

  auto far = empty_model<TypeParam>(ratings.users(), ratings.items(), 4);
  auto const info = carroll::sgd(Exec(), ratings, far, {.epochs = 60, .learning_rate = 1e6});
  EXPECT_EQ(info.status, Status::overflow);
  expect_nan(host_model(far));
}

TEST(SgdStatus, MisuseIsRefused) {
  auto const ratings = random_triples<double>(6, 5, 0.9, 1).ratings();
  auto const refused = [&](carroll::FactorModel<double, Memory> model, SgdOptions const& options,
                           char const* text) {
    try {
      (void)carroll::sgd(Exec(), ratings, model, options);
      ADD_FAILURE() << text;
    } catch (std::invalid_argument const& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  refused(empty_model<double>(7, 5, 3), {}, "U is 7×3, must be 6×3");
  refused(empty_model<double>(6, 4, 3), {}, "V is 4×3, must be 5×3");
  auto half = empty_model<double>(6, 5, 3);
  half.item_bias = {};
  refused(half, {}, "6 and 0 biases");
  auto const model = empty_model<double>(6, 5, 3);
  refused(model, {.learning_rate = std::nan("")}, "learning rate");
  refused(model, {.regularization = -1}, "regularizations");
  refused(model, {.decay = 2}, "linear decay");
  refused(model, {.epochs = -1}, "epochs");
}

}  // namespace
