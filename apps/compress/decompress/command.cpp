// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>

#include "compress/command.hpp"
#include "compress/patches.hpp"
#include "compress/read.hpp"
#include "compress/report.hpp"
#include "compress/singular.hpp"
#include "files/png/writer.hpp"
#include "output/run.hpp"
#include "runtime.hpp"

namespace carroll::tool {

int run_decompress(DecompressArguments const& arguments, KokkosFlags const& flags) {
  return run_on(arguments.input, [&](Progress& progress) {
    progress.phase("reading " + arguments.input);
    auto const picture = read_compressed(arguments.input, arguments.max_pixels);
    OutputFiles::check(arguments.output, {arguments.input});
    Runtime const runtime(flags);
    progress.phase("decompressing");
    auto const start = std::chrono::steady_clock::now();
    bool const patches = picture.code == PictureCode::patches;
    SamplePicture const decoded = patches ? decode_patches(picture) : decode_singular(picture);
    DecompressReport report;
    report.input = arguments.input;
    report.shape = picture.shape;
    report.method = patches ? "patches" : "svd";
    report.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return print_and_write(arguments, report, "success", progress, "", [&](OutputFiles& files) {
      write_png(files, arguments.output, decoded);
      return std::vector<std::string>{arguments.output};
    });
  });
}

}  // namespace carroll::tool
