// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace carroll {

/// What is multiplied: op(A) is A, its transpose, or the conjugate of that.
enum class MatrixOp { identity, transpose, conjugate_transpose };

}  // namespace carroll
