// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "files/host_matrix.hpp"
#include "lstsq/arguments.hpp"
#include "tracking/arguments.hpp"

namespace carroll::tool {

/// What `carroll svd` was asked to do.
struct SvdArguments {
  std::string input;
  bool values_only = false;
  std::optional<std::int64_t> rank;
  std::optional<double> energy;
  std::string method = "preconditioned";
  std::string placement = "shared";
  std::string path = "automatic";
  double tolerance = 0;
  int max_sweeps = 30;
  std::optional<Precision> precision;
  std::string output;  ///< prefix of the files to write; empty: none
  bool json = false;
};

/// What `carroll eigh` was asked to do.
struct EighArguments {
  std::string input;
  bool values_only = false;
  std::string triangle;  ///< empty: the matrix is to be symmetric
  std::string method = "backward_stable";
  std::string path = "automatic";
  int max_sweeps = 30;
  std::optional<Precision> precision;
  std::string output;  ///< prefix of the files to write; empty: none
  bool json = false;
};

/// What `carroll qr` was asked to do.
struct QrArguments {
  std::string input;
  std::string mode = "thin";
  bool pivot = false;
  double rank_tolerance = -1;
  std::string path = "automatic";
  std::optional<Precision> precision;
  std::string output;  ///< prefix of the files to write; empty: none
  bool json = false;
};

/// What `carroll solve` or `carroll inverse` was asked to do.
struct SolveArguments {
  std::string a;
  std::string b;  ///< empty: the inverse
  std::string path = "automatic";
  std::optional<Precision> precision;
  std::string output;  ///< prefix of the file to write; empty: none
  bool json = false;
};

/// What `carroll det` was asked to do.
struct DetArguments {
  std::string input;
  std::string method = "blocked";
  std::string path = "automatic";
  std::optional<Precision> precision;
  bool certified = false;
  bool exact = false;
  bool json = false;
};

/// What `carroll occupancy` was asked to do.
struct OccupancyArguments {
  std::string device;
  std::string capability;
  std::optional<int> threads;
  int registers = 0;
  int scratch = 0;
  int scratch_per_thread = 0;
  bool list = false;
  std::string output;  ///< prefix of the picture to write; empty: none
  bool json = false;
};

/// What `carroll scaling` was asked to do.
struct ScalingArguments {
  std::string operation;
  std::string sizes_text;
  std::vector<std::int64_t> sizes;  ///< of the text; empty: the operation's own
  std::string threads_text;
  std::vector<int> threads;  ///< of the text, ascending, with 1; empty: as many as there are
  bool scaled = false;
  bool ranks = false;  ///< over ranks instead of threads
  int repetitions = 9;
  bool json = false;
};

/// What `carroll sum`, `carroll dot` or `carroll norm` was asked to do.
struct ReductionArguments {
  std::string input;
  std::string other;       ///< the second vector of dot
  std::string kind = "2";  ///< of norm
  std::string summation = "canonical";
  bool no_conjugate = false;
  std::optional<Precision> precision;
  bool json = false;
};

/// What `carroll gemv`, `carroll gemm` or `carroll add` was asked to do.
struct ProductArguments {
  std::string a;
  std::string b;  ///< the vector of gemv
  std::string c;  ///< what beta multiplies in a product; empty: none
  double alpha = 1;
  std::optional<double> beta;
  bool transpose_a = false;
  bool transpose_b = false;
  std::string method = "automatic";
  std::optional<Precision> precision;
  std::string output;  ///< prefix of the file to write; empty: none
  bool json = false;
};

/// How `carroll recommend` is to learn.
struct LearnArguments {
  int factors = 64;
  std::optional<double> regularization;
  std::optional<int> iterations;
  std::optional<double> learning_rate;
  int neighbours = 40;
  bool implicit = false;
  double confidence = 1;
};

/// What `carroll recommend` was asked to do.
struct RecommendArguments : LearnArguments {
  std::string input;
  std::string method = "als";
  std::string test;     ///< a file; empty: none
  double hold_out = 0;  ///< fraction of the input that is the test
  std::string users;    ///< ids, or "all"; empty: none
  int top = 10;
  std::optional<double> relevant_from;
  bool no_clip = false;
  std::string duplicates = "refuse";
  int seed = 0;
  std::string model;  ///< a file to read; empty: learn
  std::optional<Precision> precision;
  std::string output;  ///< prefix of the files to write; empty: none
  bool json = false;
};

/// What `carroll compress` was asked to do.
struct CompressArguments {
  std::string input;
  std::string method;          ///< patches or svd
  std::optional<double> psnr;  ///< of these and the next four one is given
  std::optional<double> ssim;
  std::optional<double> step;
  std::optional<double> energy;
  std::optional<int> rank;
  std::optional<int> size;
  std::string basis = "automatic";
  bool centre = false;
  bool whole = false;
  bool fast = false;
  std::string figure;  ///< file; empty: none
  std::string output;  ///< file; empty: none
  bool json = false;
};

/// What `carroll decompress` was asked to do.
struct DecompressArguments {
  std::string input;
  std::string output;  ///< file
  int max_pixels = 1 << 27;
  bool json = false;
};

/// What `carroll denoise` was asked to do.
struct DenoiseArguments {
  std::string input;
  std::optional<double> sigma;  ///< in levels of 8 bits; none: estimated
  bool fast = false;
  std::string output;  ///< file; empty: none
  bool json = false;
};

/// What `carroll background` was asked to do.
struct BackgroundArguments {
  std::vector<std::string> inputs;
  double tolerance = 1e-6;
  int iterations = 200;
  std::string output;  ///< prefix; empty: none
  bool json = false;
};

enum class Command {
  print,
  svd,
  eigh,
  qr,
  lstsq,
  solve,
  inverse,
  det,
  pinv,
  track,
  synth,
  sum,
  dot,
  norm,
  gemv,
  gemm,
  add,
  occupancy,
  scaling,
  recommend,
  compress,
  decompress,
  denoise,
  background,
  info
};

struct Arguments {
  Command command = Command::print;
  std::string text;  ///< what Command::print prints: help or the version
  SvdArguments svd;
  EighArguments eigh;
  QrArguments qr;
  LstsqArguments lstsq;
  SolveArguments solve, inverse;
  DetArguments det;
  PinvArguments pinv;
  TrackArguments track;
  SynthArguments synth;
  ReductionArguments sum, dot, norm;
  ProductArguments gemv, gemm, add;
  OccupancyArguments occupancy;
  ScalingArguments scaling;
  RecommendArguments recommend;
  CompressArguments compress;
  DecompressArguments decompress;
  DenoiseArguments denoise;
  BackgroundArguments background;
  bool info_json = false;
};

/// A command line that cannot be understood; what() is one line.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Understands the command line, without the program's name and without Kokkos' own flags.
[[nodiscard]] Arguments parse_arguments(std::vector<std::string> words);

}  // namespace carroll::tool
