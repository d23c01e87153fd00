// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/compiler.hpp>
#ifdef CARROLL_CUDA_PASS
#include <carroll/detail/device/cuda/memory.hpp>
#else
#include <carroll/detail/device/emulated/memory.hpp>
#endif

/// Accesses to memory whose order for other teams, or whose place in the caches, matters:
///
///   load_relaxed, store_relaxed    a word that is whole or not there; nothing about others
///   load_acquire, store_release    what was written before the release, in program order or
///                                  before a barrier, may be read by who acquires its word, and
///                                  by who meets that thread at a barrier
///   add_release                    the same for a count that is added to
///   fetch_add_acq_rel              both: adds to a count and returns what it was
///   load_read_only                 of what nobody writes meanwhile, through a cache of its own
///   store_streaming                16 bytes that nobody reads soon: they leave the caches first
///   prefetch                       bytes that somebody reads soon, into the device's cache; place
///                                  and size are multiples of 16
///   prefetch_line                  the 128 bytes around a place, into the team's own cache
///
/// Signals between teams are made of them in device/signals.hpp.
