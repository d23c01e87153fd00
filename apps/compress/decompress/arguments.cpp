// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"

namespace carroll::tool {

namespace {

constexpr char const* decompress_footer =
    "FILE is what carroll compress has written.\n"
    "\n"
    "Exit status: 0 success; 2 unusable input or usage.";

void add_decompress_options(CommandOptions& options, DecompressArguments& own) {
  options.operand("FILE", own.input, "The compressed picture");
  options.text("-o,--output", own.output, "PICTURE", "Write a PNG picture");
  options.whole_number_from_one(
      "--max-pixels", own.max_pixels, "N",
      "Refuse pictures of more pixels, which would take\nsome 20 bytes each (default: 134217728)");
  options.json(own.json);
}

void check_decompress_options(CommandOptions const&, DecompressArguments& own) {
  check_file_name("FILE", own.input);
  if (own.output.empty()) throw UsageError("--output: the name of the picture is missing");
}

}  // namespace

CommandLine decompress_command_line() {
  return command_line(Command::decompress, "decompress", "FILE",
                      "A PNG picture from a compressed one", decompress_footer,
                      &Arguments::decompress, add_decompress_options, check_decompress_options);
}

}  // namespace carroll::tool
