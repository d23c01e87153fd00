// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hostile/round.hpp"

namespace carroll::test {

template <class Real>
void ratings_round(Round& round);
template <class Real>
void split_round(Round& round);
template <class Real>
void als_round(Round& round);
template <class Real>
void gibbs_round(Round& round);
template <class Real>
void sgd_round(Round& round);
template <class Real>
void neighbours_round(Round& round);
template <class Real>
void recommend_round(Round& round);
template <class Real>
void measures_round(Round& round);
template <class Real>
void similar_round(Round& round);
template <class Real>
void svd_round(Round& round);
template <class Real>
void graph_filter_round(Round& round);

}  // namespace carroll::test
