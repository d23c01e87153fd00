// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace carroll::tool {

/// OpenMP's threads look for work for a while before they sleep, if nobody says otherwise. Where
/// there are fewer processors for them, because there are more threads or because others are at
/// work, they wait for threads that they keep from running: a run of seconds takes a minute. So the
/// tool lets them sleep, which costs microseconds a launch, unless OMP_WAIT_POLICY, GOMP_SPINCOUNT
/// or KMP_BLOCKTIME has been set. Runtimes read these before `main` begins: the tool starts again
/// with OMP_WAIT_POLICY in its environment, in the same process. Returns where there is no need, or
/// where that is not possible: without /proc, or where the process's file is not the tool, as it is
/// the loader's if that was called by name. A debugger like valgrind does not follow; set one of
/// the variables for it.
void let_waiting_threads_sleep(char** argv);

}  // namespace carroll::tool
