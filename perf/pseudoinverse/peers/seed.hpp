// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pseudoinverse/arrow_frames.hpp"
#include "pseudoinverse/contender.hpp"

namespace carroll::perf {

/// A⁺ = (AᵀA)⁻¹Aᵀ as the first GPU code for it computed it (A. Marchese, "Sviluppo e
/// implementazione di algoritmi paralleli in ambiente CUDA per la ricostruzione tridimensionale
/// densa dell'ambiente", thesis, University of Padua), kernel by kernel, with one motion column and
/// sums in the precision of the data. Three phases:
///
///   gram      AᵀA, an arrow, of which two rows are kept: one team per segment, whose first thread
///             adds what all have multiplied;
///   inverse   of the arrow, (m+1)×(m+1) numbers, by the four steps that are left of Gauss-Jordan's
///             elimination; `uncoalesced` writes columns of it, `coalesced` rows;
///   product   (AᵀA)⁻¹ with Aᵀ; `naive`: a thread per entry of A⁺ for the motion column, then one
///             per row and segment for the depths; `tiled`: a team per segment and 256 rows of A⁺,
///             with what it needs in scratch.
///
/// What was mended: `limit = size % 256` in the thesis' sums loses the last 256 terms of a number
/// of terms that is a multiple of 256; its naive product leaves out every 256th depth; barriers
/// stand where not all threads come by. Texture fetches are loads here. The identity that the
/// inverse is computed in place of is put there before the time is taken.
struct SeedMethod {
  enum class Inverse { uncoalesced, coalesced };
  enum class Product { naive, tiled };
  enum class Phase { all, gram, inverse, product };

  Phase phase = Phase::all;
  Inverse inverse = Inverse::coalesced;
  Product product = Product::tiled;
};

/// "seed_gram", "seed_inverse_coalesced", "seed_product_tiled", "seed_tiled" …
std::string method_name(SeedMethod const& method);

class SeedContender : public InverseContender {
 public:
  /// Row 0 of A⁺, that of the motion, after the last run.
  virtual std::vector<double> first_row() = 0;
};

/// A phase is timed after those before it have run.
template <class Real>
std::unique_ptr<SeedContender> make_seed(Exec const& exec, SeedMethod const& method,
                                         ArrowFrames<Real> const& frames);

}  // namespace carroll::perf
