// SPDX-License-Identifier: BSD-3-Clause
#include "output/run.hpp"

#include <exception>
#include <new>

#include "files/file_error.hpp"

namespace carroll::tool {

int run_on(std::string const& input, std::function<int(Progress&)> const& work,
           bool shows_progress) {
  Progress progress(shows_progress);
  try {
    return work(progress);
  } catch (FileError const&) {
    throw;
  } catch (std::bad_alloc const&) {
    throw FileError(input, "needs more memory than there is");
  } catch (std::exception const& error) {
    throw FileError(input, error.what());
  }
}

}  // namespace carroll::tool
