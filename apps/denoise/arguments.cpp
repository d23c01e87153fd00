// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"
#include "output/files.hpp"

namespace carroll::tool {

namespace {

constexpr char const* denoise_footer =
    R"(Takes white noise out of a picture: similar patches are stacked, and the stacks
are made matrices of low rank, by a weighted nuclear norm.
docs/pictures/denoising.md says how well, and when other ways are better.

PICTURE is a PNG picture, grey or of colours, with alpha or without, of up to 16
bits. What is written has the same channels and bits; alpha stays as it is.

Output with --json, one object: status, width, height, channels, bits, noise,
noise_estimated, iterations and seconds.

Exit status: 0 success; 1 the numerics say no; 2 unusable input or usage.

Examples:
  carroll denoise noisy.png -o clean.png
  carroll denoise noisy.png -o clean.png --sigma 25 --fast)";

constexpr char const* background_footer =
    R"(Separates what stays from what moves before a camera that stands still: the
frames, one in each row of a matrix, are the sum of one of low rank and of a
sparse one (principal component pursuit). docs/pictures/denoising.md has the
method.

FRAMES are 2 to 512 PNG pictures of one size; colours become luma.

Output with -o PREFIX, for each frame:
  PREFIX_background_0000.png  its part of low rank
  PREFIX_foreground_0000.png  the size of the rest, in grey levels
All of them appear or none.

Output with --json, one object: status, frames, width, height, rank, foreground
(part of the pixels), iterations, residual and seconds.

Status: success; not_converged (the limit on iterations came first).
Exit status: 0 success, 1 any other status, 2 unusable input or usage.

Example:
  carroll background street_*.png -o street)";

void add_denoise_options(CommandOptions& options, DenoiseArguments& own) {
  options.operand("PICTURE", own.input, "The picture with noise");
  options.number(
      "--sigma", own.sigma, "S", [](double x) { return x >= 0 && x <= 255; },
      "a number from 0 to 255",
      "Standard deviation of the noise, in levels of 8 bits\n(default: estimated)");
  options.flag("--fast", own.fast, "A fifth of the time, for 0.1 to 0.3 dB less");
  options.text("-o,--output", own.output, "FILE", "Write the picture without noise, PNG");
  options.json(own.json);
}

void check_denoise_options(CommandOptions const& options, DenoiseArguments& own) {
  check_file_name("PICTURE", own.input);
  check_file_name(options, "--output", own.output);
}

void add_background_options(CommandOptions& options, BackgroundArguments& own) {
  options.operands("FRAMES", own.inputs, "The frames, in their order");
  options.number(
      "--tolerance", own.tolerance, "T", [](double x) { return x > 0 && x < 1; },
      "a number between 0 and 1",
      "What may be left over, as part of the frames' norm\n(default: 1e-6)");
  options.whole_number_from_one("--iterations", own.iterations, "K", "At most K (default: 200)");
  options.output_prefix(own.output, "Write PREFIX_background_0000.png and so on");
  options.json(own.json);
}

void check_background_options(CommandOptions const& options, BackgroundArguments& own) {
  constexpr std::size_t most = OutputFiles::most_files / 2;
  for (auto const& input : own.inputs)
    if (input.empty()) throw UsageError("FRAMES: the name of a file is empty");
  if (own.inputs.size() < 2 || own.inputs.size() > most)
    throw UsageError("FRAMES: there are " + std::to_string(own.inputs.size()) +
                     ", must be from 2 to " + std::to_string(most));
  check_output_prefix(options, own.output);
}

}  // namespace

CommandLine denoise_command_line() {
  return command_line(Command::denoise, "denoise", "PICTURE", "A picture without its noise",
                      denoise_footer, &Arguments::denoise, add_denoise_options,
                      check_denoise_options);
}

CommandLine background_command_line() {
  return command_line(Command::background, "background", "FRAMES...",
                      "Background and foreground of frames", background_footer,
                      &Arguments::background, add_background_options, check_background_options);
}

}  // namespace carroll::tool
