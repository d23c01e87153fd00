// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/direct_tracker/compiled.hpp>
#include <carroll/detail/tracker_window/compiled.hpp>
