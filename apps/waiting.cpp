// SPDX-License-Identifier: BSD-3-Clause
#include "waiting.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace carroll::tool {

void let_waiting_threads_sleep([[maybe_unused]] char** argv) {
#ifdef CARROLL_TOOL_OPENMP
  for (char const* const name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"})
    if (std::getenv(name) != nullptr) return;
  char const* const threads = std::getenv("OMP_NUM_THREADS");
  if (threads != nullptr && std::string_view(threads) == "1") return;
  if (::setenv("OMP_WAIT_POLICY", "passive", 0) != 0) return;
  ::execv("/proc/self/exe", argv);
#endif
}

}  // namespace carroll::tool
