// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"

namespace carroll::tool {

namespace {

constexpr char const* compress_footer =
    "PICTURE is a PNG or JPEG picture: grey or of colours, with alpha or without, of\n"
    "8 or 16 bits. docs/pictures.md says what FILE holds, and when it is worth it.\n"
    "\n"
    "Exit status: 0 success; 1 the numerics say no; 2 unusable input or usage.";

void add_compress_options(CommandOptions& options, CompressArguments& own) {
  options.operand("PICTURE", own.input, "The picture to compress");
  options.one_of({"patches", "svd"}, "--method", own.method, "M",
                 "patches (default): integer factors of 8x8 patches\n"
                 "svd: truncated singular value decomposition of the\n"
                 "channels (default with --rank and --energy)");
  options.number(
      "--psnr", own.psnr, "DB", [](double x) { return x > 0 && x <= 120; },
      "a number above 0, and 120 at most",
      "The smallest file with this peak signal-to-noise\nratio, in dB");
  options.number(
      "--ssim", own.ssim, "S", [](double x) { return x > 0 && x < 1; }, "a number between 0 and 1",
      "patches: the smallest file with this structural\nsimilarity");
  options.whole_number_from_one("--size", own.size, "BYTES",
                                "The best file of at most so many bytes");
  options.number(
      "--step", own.step, "D", [](double x) { return x >= 4.0 / 128 && x <= 8192; },
      "a number from 0.03125 to 8192",
      "patches: what a factor is rounded to, in levels of\n8 bits; nothing is searched");
  options.whole_number_from_one("--rank", own.rank, "K", "svd: keep K singular values");
  options.number(
      "--energy", own.energy, "F", [](double x) { return x > 0 && x <= 1; },
      "a number above 0, and 1 at most",
      "svd: keep as many as have this fraction of the\nsquares of all");
  options.flag("--centre", own.centre, "svd: decompose the levels less their mean");
  options.flag("--whole", own.whole, "svd: decompose the channels side by side, not one\nby one");
  options.one_of({"automatic", "cosines", "singular"}, "--basis", own.basis, "B",
                 "patches: automatic (default), cosines, or singular\n"
                 "vectors of the picture's own");
  options.flag(
      "--fast", own.fast,
      "Codes that are found in a tenth of a millisecond;\nfiles of patches are a tenth longer");
  options.text("--figure", own.figure, "FILE",
               "Write a PNG picture: the picture with 1, 5, 20 and\n"
               "as many singular values as were kept, and what all\n"
               "of them add up to; of the svd");
  options.text("-o,--output", own.output, "FILE", "Write the compressed picture");
  options.json(own.json);
}

void check_compress_options(CommandOptions const& options, CompressArguments& own) {
  check_file_name("PICTURE", own.input);
  int given = 0;
  for (std::string const name : {"--psnr", "--ssim", "--size", "--step", "--rank", "--energy"})
    given += options.given(name) ? 1 : 0;
  if (given != 1)
    throw UsageError(
        "one of --psnr, --ssim, --size, --step, --rank and --energy has to be given, and no more");
  if (own.method.empty()) own.method = own.rank || own.energy ? "svd" : "patches";
  if (own.method == "svd") {
    refuse(options, {"--ssim", "--step", "--basis"}, "with --method svd");
  } else {
    for (std::string const name : {"--rank", "--energy", "--centre", "--whole", "--figure"})
      if (options.given(name)) throw UsageError(name + " needs --method svd");
  }
  check_file_name(options, "--output", own.output);
  check_file_name(options, "--figure", own.figure);
  if (!own.output.empty() && own.output == own.figure)
    throw UsageError("--output and --figure name one file");
}

}  // namespace

CommandLine compress_command_line() {
  return command_line(Command::compress, "compress", "PICTURE",
                      "A picture as a product of small matrices", compress_footer,
                      &Arguments::compress, add_compress_options, check_compress_options);
}

}  // namespace carroll::tool
