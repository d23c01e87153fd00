// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "blas/command.hpp"
#include "blas/multiply.hpp"
#include "blas/pair.hpp"
#include "blas/ranks/over_ranks.hpp"
#include "blas/report.hpp"
#include "files/file_error.hpp"
#include "files/limits.hpp"
#include "files/matrix_file.hpp"
#include "files/npy/writer.hpp"
#include "output/run.hpp"
#include "runtime.hpp"

namespace carroll::tool {

namespace {

/// The files of a command in one precision.
struct Inputs {
  std::vector<std::string> files;
  std::vector<AnyMatrix> matrices;
  std::vector<bool> is_vector;  ///< arrays of one dimension
};

enum class Vectors { none, all, all_but_first };

/// Reads those of A, B and C that are given; `vectors` says which may have one dimension. With
/// `block` of A no more than that.
Inputs read_inputs(ProductArguments const& arguments, Vectors vectors, Progress& progress,
                   BlockChoice const& block = {}) {
  Inputs inputs;
  for (auto const& file : {arguments.a, arguments.b, arguments.c}) {
    if (file.empty()) continue;
    progress.phase("reading " + file);
    bool is_vector = false;
    bool const allowed =
        vectors == Vectors::all || (vectors == Vectors::all_but_first && !inputs.files.empty());
    inputs.matrices.push_back(
        block && inputs.files.empty()
            ? read_block(file, arguments.precision, block)
            : read_matrix(file, arguments.precision, allowed ? &is_vector : nullptr));
    inputs.files.push_back(file);
    inputs.is_vector.push_back(is_vector);
  }
  to_one_precision(inputs.matrices);
  return inputs;
}

/// A, B, which may be x, and what beta multiplies, of no extents where that is not given.
template <class Real>
struct Operands {
  HostMatrix<Real> A, B, C;
};

/// What `work` makes of the operands, which are taken out of `inputs`.
template <class Work>
int with_operands(Inputs& inputs, Work const& work) {
  return std::visit(
      [&]<class Real>(HostMatrix<Real>& A) {
        auto const take = [&](std::size_t k) {
          return std::get<HostMatrix<Real>>(std::move(inputs.matrices[k]));
        };
        Operands<Real> operands{std::move(A), take(1), {}};
        if (inputs.matrices.size() > 2) operands.C = take(2);
        return work(operands);
      },
      inputs.matrices[0]);
}

/// "2 x 3", or "2 x 3, transposed 3 x 2"
std::string shape_text(std::int64_t rows, std::int64_t cols, bool transposed = false) {
  std::string const text = extents_text(rows, cols);
  return transposed ? text + ", transposed " + extents_text(cols, rows) : text;
}
template <class Real>
std::string shape_text(HostMatrix<Real> const& A, bool transposed = false) {
  return shape_text(A.rows, A.cols, transposed);
}

/// Makes x, of one row or one column, a column of `entries` entries, as `why` wants it.
void make_column(AnyMatrix& any, std::string const& file, std::int64_t entries,
                 std::string const& why) {
  std::visit(
      [&](auto& x) {
        if ((x.rows != 1 && x.cols != 1) || x.rows * x.cols != entries) {
          throw FileError(file, "is " + shape_text(x) + ", must be a vector of " +
                                    std::to_string(entries) + ": " + why);
        }
        x.rows = entries;
        x.cols = 1;
      },
      any);
}

template <class Real>
void require_shape(HostMatrix<Real> const& A, std::string const& file, std::int64_t rows,
                   std::int64_t cols, std::string const& why) {
  if (A.rows == rows && A.cols == cols) return;
  throw FileError(file,
                  "is " + shape_text(A) + ", must be " + extents_text(rows, cols) + ": " + why);
}

/// "2 A", "A", and so on
std::string scaled(double factor, std::string const& what) {
  return factor == 1 ? what : fmt::format("{:g} {}", factor, what);
}

std::string formula(ProductWishes const& wishes, std::string const& product,
                    std::string const& summand) {
  std::string const text = scaled(wishes.alpha, product);
  return wishes.beta == 0 ? text : text + " + " + scaled(wishes.beta, summand);
}

ProductWishes wishes_of(ProductArguments const& arguments) {
  double const beta = arguments.beta.value_or(arguments.c.empty() ? 0 : 1);
  return {arguments.alpha, beta, arguments.transpose_a, arguments.transpose_b, arguments.method};
}

std::string output_name(ProductArguments const& arguments, char const* letter) {
  return arguments.output + "_" + letter + ".npy";
}

void check_output(ProductArguments const& arguments, char const* letter, Inputs const& inputs) {
  if (!arguments.output.empty()) OutputFiles::check(output_name(arguments, letter), inputs.files);
}

/// Prints, and writes what was asked for: a result of one dimension or two.
template <class Real>
int report_on(MatrixResult<Real> const& result, ProductReport report,
              ProductArguments const& arguments, char const* letter, bool is_vector,
              Progress& progress) {
  report.rows = result.C.rows;
  report.cols = result.C.cols;
  report.precision = precision_of<Real>;
  report.result = result.summary;
  std::string const name = output_name(arguments, letter);
  return print_and_write(arguments, report, result.summary.status, progress,
                         std::string("_") + letter + ".npy", [&](OutputFiles& files) {
                           if (is_vector) {
                             write_npy(files, name, result.C.values);
                           } else {
                             write_npy(files, name, result.C);
                           }
                           return std::vector{name};
                         });
}

}  // namespace

namespace {

/// The operands of gemv, of A this rank's block.
struct GemvInputs {
  SharedExtents A;
  Inputs read;
};

GemvInputs read_gemv(ProductArguments const& arguments, Ranks const& ranks, Progress& progress) {
  GemvInputs inputs;
  bool const transpose = arguments.transpose_a;
  inputs.read = read_inputs(arguments, Vectors::all_but_first, progress,
                            [&](std::int64_t rows, std::int64_t cols, Precision) {
                              inputs.A = ranks.size() > 1
                                             ? shared_extents(ranks, rows, cols, transpose)
                                             : SharedExtents{rows, cols, {}, {0, rows, 0, cols}};
                              return inputs.A.block;
                            });
  check_output(arguments, "y", inputs.read);
  auto const& [rows, cols, engine, block] = inputs.A;
  std::string const why = arguments.a + " is " + shape_text(rows, cols, transpose);
  make_column(inputs.read.matrices[1], arguments.b, transpose ? rows : cols, why);
  if (!arguments.c.empty())
    make_column(inputs.read.matrices[2], arguments.c, transpose ? cols : rows, why);
  return inputs;
}

int gemv_by(Ranks const& ranks, Sharing sharing, ProductArguments const& arguments,
            KokkosFlags const& flags) {
  auto const work = [&](Progress& progress) {
    GemvInputs inputs;
    ranks.together([&] { inputs = read_gemv(arguments, ranks, progress); });
    require_alike(ranks, arguments.a, {inputs.A.rows, inputs.A.cols});
    ProductWishes const wishes = wishes_of(arguments);
    ProductReport report;
    report.sharing = {sharing.ranks, ranks.size() > 1 ? inputs.A.engine : sharing.engine};
    report.inputs = inputs.read.files;
    report.formula = formula(wishes, arguments.transpose_a ? "A^T x" : "A x", "y");
    report.terms = arguments.transpose_a ? inputs.A.rows : inputs.A.cols;
    Runtime const runtime(flags);
    return with_operands(inputs.read, [&]<class Real>(Operands<Real>& given) {
      auto& [A, x, y] = given;
      auto const result = ranks.size() == 1 ? multiply_vector(A, x, y, wishes, progress)
                                            : multiply_vector_over(
                                                  ranks, SharedMatrix<Real>{inputs.A, std::move(A)},
                                                  x, y, wishes, progress);
      return ranks.first_alone(
          [&] { return report_on(result, report, arguments, "y", true, progress); });
    });
  };
  return run_on(arguments.a, work, ranks.first());
}

}  // namespace

int run_gemv(ProductArguments const& arguments, KokkosFlags const& flags, Ranks const& ranks) {
  std::vector<std::string> files{arguments.a, arguments.b};
  if (!arguments.c.empty()) files.push_back(arguments.c);
  return share(ranks, files, Engine::rows, [&](Ranks const& by, Sharing const& sharing) {
    return gemv_by(by, sharing, arguments, flags);
  });
}

int run_gemm(ProductArguments const& arguments, KokkosFlags const& flags, Ranks const& ranks) {
  return run_on(arguments.a, [&](Progress& progress) {
    Inputs inputs = read_inputs(arguments, Vectors::none, progress);
    check_output(arguments, "C", inputs);
    return with_operands(inputs, [&]<class Real>(Operands<Real>& given) {
      auto& [A, B, C] = given;
      bool const transpose_a = arguments.transpose_a, transpose_b = arguments.transpose_b;
      std::int64_t const rows = transpose_a ? A.cols : A.rows;
      std::int64_t const terms = transpose_a ? A.rows : A.cols;
      std::int64_t const cols = transpose_b ? B.rows : B.cols;
      if ((transpose_b ? B.cols : B.rows) != terms) {
        throw FileError(arguments.b, "is " + shape_text(B, transpose_b) + ", must have " +
                                         count_text(terms, "row") + ": " + arguments.a + " is " +
                                         shape_text(A, transpose_a));
      }
      if (!arguments.c.empty()) require_shape(C, arguments.c, rows, cols, "the product's shape");
      ProductWishes const wishes = wishes_of(arguments);
      ProductReport report;
      report.sharing = {ranks.size(), Engine::one_rank};
      report.inputs = inputs.files;
      report.formula = formula(
          wishes, std::string(transpose_a ? "A^T" : "A") + (transpose_b ? " B^T" : " B"), "C");
      report.terms = terms;
      Runtime const runtime(flags);
      return report_on(multiply(A, B, C, wishes, progress), report, arguments, "C", false,
                       progress);
    });
  });
}

int run_add(ProductArguments const& arguments, KokkosFlags const& flags, Ranks const& ranks) {
  return run_on(arguments.a, [&](Progress& progress) {
    Inputs inputs = read_inputs(arguments, Vectors::all, progress);
    check_output(arguments, "C", inputs);
    bool const is_vector = inputs.is_vector[0] && inputs.is_vector[1];
    return with_operands(inputs, [&]<class Real>(Operands<Real>& given) {
      auto const& [A, B, none] = given;
      require_shape(B, arguments.b, A.rows, A.cols, "the shape of " + arguments.a);
      ProductWishes wishes = wishes_of(arguments);
      wishes.beta = arguments.beta.value_or(1);
      ProductReport report;
      report.sharing = {ranks.size(), Engine::one_rank};
      report.inputs = inputs.files;
      report.formula = formula(wishes, "A", "B");
      Runtime const runtime(flags);
      return report_on(combine(A, B, wishes, progress), report, arguments, "C", is_vector,
                       progress);
    });
  });
}

}  // namespace carroll::tool
