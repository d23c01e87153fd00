// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

namespace carroll::tool {

/// A process among those that a launcher has started together.
struct Launched {
  int rank = 0;
  int size = 0;  ///< 0: only MPI knows
};

/// What mpirun of Open MPI or MPICH, or srun, has left in the environment; nothing where none of
/// them has started this process. MPI itself is not asked, which would cost a plain call of the
/// tool a tenth of a second and, with some versions, a daemon.
[[nodiscard]] std::optional<Launched> launched();

}  // namespace carroll::tool
