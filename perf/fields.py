# SPDX-License-Identifier: BSD-3-Clause
"""What the results of a record say, by benchmark: names of fields, units and meanings."""

# What is said of every measured time.
TIME_FIELDS = {
    "median": "seconds",
    "min": "seconds",
    "runs": "number of timed runs; 1: the very first run, with no other to warm up, as it took long",
    "gflops": "nominal 1e9 operations per second, see perf/svd/models.hpp and perf/*/contender.hpp",
    "gbs": "compulsory 1e9 bytes per second",
    "ratio": "time of the best peer over ours: above 1 means faster than every peer",
    "best_peer": "its name: the fastest whose result passed the check",
    "ratio_wrong": "the same for the fastest peer of all, where its result failed the check",
    "wrong_peer": "its name",
    "check": "ok, or what is wrong with the result",
    "error": "why there is no time",
}
SVD_FIELDS = {
    "group": "study, square, batch or scaling, see perf/svd/cases.hpp",
    "batch": "number of matrices",
    "rows": "rows of each",
    "cols": "columns of each",
    "precision": "single or double",
    "job": "vectors (thin U, S, V) or values (S)",
    "method": "carroll_<method>, lapack_<driver> or cusolver_<driver>",
    "tolerance": "on cosines, where it is not the default",
    "mse": "mean square error of the singular values against a long double reference",
    "residual": "LAPACK's ratio, see perf/svd/reference.hpp",
    "orthogonality": "the same",
    "sweeps": "Jacobi sweeps",
    "phases": "least operations and bytes of each phase of our method, see perf/perf/svd/models.hpp",
    **TIME_FIELDS,
}
EIGH_FIELDS = {
    "group": "batch or single, see perf/eigh/bench.cpp",
    "batch": "number of matrices",
    "n": "order of each",
    "precision": "single or double",
    "job": "vectors (W, V) or values (W)",
    "method": "carroll_<method>, carroll_team for those kernels, lapack_<driver>, cusolver_<driver> or torch_eigh",
    **TIME_FIELDS,
}
QR_FIELDS = {
    "group": "batch or single, see perf/qr/bench.cpp",
    "batch": "number of matrices",
    "rows": "rows of each",
    "cols": "columns of each",
    "precision": "single or double",
    "job": "thin (Q, R), r (R), thin_pivoted or r_pivoted",
    "method": "carroll_automatic or carroll_<path>, lapack_geqrf, lapack_geqp3, cublas_geqrfBatched, "
              "cusolver_geqrf or torch_qr; of libraries Q is formed by orgqr",
    **TIME_FIELDS,
}
SOLVE_FIELDS = {
    "group": "batch or single, see perf/solve/bench.cpp",
    "batch": "number of systems",
    "n": "equations of each",
    "columns": "right-hand sides of each",
    "precision": "single or double",
    "job": "solve (X and the condition), plain (X) or inverse",
    "method": "carroll_automatic or carroll_<path>, lapack_gesv, lapack_gesv_gecon or lapack_getri, cublas_getrsBatched, "
              "cublas_getriBatched or cusolver_getrs, the last three behind their getrf and without a condition",
    **TIME_FIELDS,
}
LSTSQ_FIELDS = {
    "group": "batch or single, see perf/lstsq/bench.cpp",
    "batch": "number of problems",
    "rows": "rows of each matrix",
    "cols": "columns of each matrix",
    "columns": "of X",
    "precision": "single or double",
    "job": "lstsq (X) or pinv (pseudoinverse)",
    "method": "carroll_automatic, lapack_gelsd, lapack_gelss or, for matrices of full rank alone, cublas_gelsBatched; "
              "torch_pinv, torch_lstsq_gelsd of a host and torch_pinv_product, for pinv(A)·B",
    **TIME_FIELDS,
}
COMPLEX_FIELDS = {
    "group": "batch",
    "batch": "number of matrices",
    "n": "rows and columns of each",
    "precision": "single or double, of real and imaginary parts",
    "job": "svd (U, S, V), eigh (W, V), qr (Q, R), solve (X, one right-hand side), lstsq (the same, of any rank) "
           "or pinv (pseudoinverse)",
    "method": "carroll_automatic, lapack_<driver>, cusolver_<driver>, cublas_<driver> or torch_svd; beside geqrf stands "
              "ungqr",
    **TIME_FIELDS,
}
NARROW_FIELDS = {
    "group": "batch",
    "batch": "number of matrices",
    "n": "order of each",
    "job": "svd (U, S, V), eigh (W, V) or determinant",
    "method": "carroll_single, or carroll_float16 and carroll_bfloat16 for matrices that are stored so",
    **{key: TIME_FIELDS[key] for key in ("median", "min", "runs", "gflops", "gbs", "check", "error")},
}
DETERMINANT_FIELDS = {
    "group": "single, batch, stream, memory or huge, see perf/determinant/cases.hpp",
    "batch": "number of matrices",
    "n": "order of each",
    "precision": "single or double",
    "method": "carroll_<method>, lapack_getrf, cusolver_Xgetrf or cublas_getrfBatched",
    "copy": "gbs as a share of the bandwidth of a large copy",
    "equal_copy": "time of a copy that moves as many bytes over ours, of batches up to order 32",
    "growth": "DeterminantInfo::growth, the largest of any member",
    "log_error": "of the logarithm of the determinant's modulus",
    "residual": "the same in units of eps and what is to be expected, see perf/determinant/reference.hpp",
    "workspace": "bytes that the caller has to give beside the matrices, in units of theirs",
    "memory": "bytes taken from the device by the matrix and all else, in units of the matrix",
    **TIME_FIELDS,
}
ACCURACY_FIELDS = {
    "kind": "geometric or scaled_columns, see perf/svd/accuracy/matrices.hpp",
    "rows": "rows of each",
    "cols": "columns of each",
    "precision": "single or double",
    "nominal": "the condition number wanted",
    "method": "carroll_<method>, lapack_<driver> or cusolver_<driver>",
    "cond": "the condition number by the reference, the largest of several matrices",
    "max_error": "largest relative error of any singular value of any of them; null if not finite",
    "smallest_error": "the same of the smallest singular value",
    "check": "ok, or what the solver itself says went wrong",
    "error": "why there is no result",
}
PSEUDOINVERSE_FIELDS = {
    "group": "step, frames, dense, gram, inverse or product, see perf/pseudoinverse/cases.hpp",
    "frames": "number of problems",
    "n": "rows of each",
    "m": "depth columns",
    "k": "motion columns",
    "precision": "single or double, of A; Ceres and SuiteSparseQR compute in double precision",
    "method": "carroll_<method>, seed_<part>, ceres_, suitesparse_, lapack_ or cusolver_<method>",
    "enqueued": "seconds of one of several runs that follow each other without a word to the host",
    "read": "share of the speed at which as many bytes are read",
    "fill": "share of the speed at which as many bytes are written",
    "rel_error": "of x or of columns of the inverse, relative to their norm",
    "residual": "the same in units of eps·cond(A), see perf/pseudoinverse/reference.hpp",
    **TIME_FIELDS,
}
PSEUDOINVERSE_ACCURACY_FIELDS = {
    "n": "rows",
    "m": "depth columns",
    "precision": "single",
    "nominal": "the separation wanted",
    "method": "carroll_<method> or seed_tiled",
    "separation": "share of the motion column that is left beside the depth columns, by the reference",
    "rel_error": "of the motion step",
    "check": "ok, or what the solver itself says went wrong",
    "error": "why there is no result",
}
TRACKER_FIELDS = {
    "group": "frames, or sequence: begun where the one before ended",
    "instances": "execution space instances, each with a tracker of its own",
    "n": "samples",
    "m": "vertices",
    "motion": "ackermann or se3",
    "method": "carroll_esm",
    "enqueued": "seconds of a frame where frames follow each other without a word to the host",
    "heading": "error of the heading, degrees",
    "depth": "median relative error of the depths",
    "passes": "iterations",
    **{key: TIME_FIELDS[key] for key in ("median", "min", "runs", "check", "error")},
}
REDUCTION_FIELDS = {
    "function": "sum, dot, norm2 or asum",
    "length": "of the vectors",
    "precision": "single or double",
    "method": "carroll_<summation>, study_<strategy>, or a library's",
    "read": "share of the speed at which as many bytes are read",
    **TIME_FIELDS,
}
GEMV_FIELDS = {
    "rows": "of the matrix",
    "cols": "of the matrix",
    "op": "n, or t for the transpose",
    "precision": "single or double",
    "method": "carroll_automatic, cublas or openblas",
    "read": "share of the speed at which as many bytes are read",
    **TIME_FIELDS,
}
GEMM_FIELDS = {
    "group": "square, outer, skinny, tall or batch, see perf/gemm/cases.hpp",
    "batch": "number of products",
    "rows": "of the product",
    "cols": "of the product",
    "terms": "of each of its entries",
    "precision": "single, double, complex_single or complex_double",
    "method": "carroll_<method>, cublas or openblas",
    **TIME_FIELDS,
}
RECOMMENDERS_FIELDS = {
    "group": "als, als_implicit, sgd, recommend, neighbours or descent, see perf/recommenders/shapes.hpp",
    "data": "whose published sizes the made-up ratings have",
    "k": "factors; of neighbours how many are kept",
    "precision": "single",
    "method": "carroll_<method>, or a library's product of matrices: <library>_gemm",
    "floor": "share of the speed that the machine's rates of products and of reading allow; of sgd as if no cache "
             "held factors: above 1 where one does",
    "prepare": "seconds in which the host made the schedule of sgd",
    "descent": "of each iteration the root mean square errors: of what was learnt from, and of what was set apart",
    **TIME_FIELDS,
}
PICTURES_FIELDS = {
    "group": "denoise, encode, denoise_frames or robust_pca",
    "size": "width×height×planes, or frames×width×height",
    "method": "carroll_<effort>, carroll_<basis>, carroll_frames or carroll_pursuit",
    **{key: TIME_FIELDS[key] for key in ("median", "min", "runs", "gbs", "check", "error")},
}
DISTRIBUTED_FIELDS = {
    "function": "a call over ranks, or of the link between them",
    "size": "extents of the problem, of the link bytes",
    "method": "carroll_<variant>, carroll_one_rank for the plain solver, scalapack_<variant> or cusolverMg_getrf; of the "
              "link <transport>_wrapper or <transport>_raw",
    "ranks": "that took part; of cusolverMg devices",
    "transport": "of messages: nccl, or mpi through memory of the host",
    "compute": "seconds of the slowest rank's own members",
    "move": "seconds until results are where they are wanted",
    "digest": "of the bits of the result",
    **{key: TIME_FIELDS[key] for key in ("median", "min", "runs", "gflops", "gbs", "ratio", "best_peer",
                                          "ratio_wrong", "wrong_peer", "check", "error")},
}
FIELDS = {"bench_svd": SVD_FIELDS, "bench_svd_accuracy": ACCURACY_FIELDS, "bench_eigh": EIGH_FIELDS,
          "bench_qr": QR_FIELDS, "bench_solve": SOLVE_FIELDS, "bench_lstsq": LSTSQ_FIELDS, "bench_complex": COMPLEX_FIELDS,
          "bench_narrow": NARROW_FIELDS,
          "bench_determinant": DETERMINANT_FIELDS,
          "bench_pseudoinverse": PSEUDOINVERSE_FIELDS,
          "bench_pseudoinverse_accuracy": PSEUDOINVERSE_ACCURACY_FIELDS,
          "bench_direct_tracker": TRACKER_FIELDS, "bench_reduction": REDUCTION_FIELDS,
          "bench_gemv": GEMV_FIELDS, "bench_gemm": GEMM_FIELDS, "bench_distributed": DISTRIBUTED_FIELDS,
          "bench_recommenders": RECOMMENDERS_FIELDS, "bench_pictures": PICTURES_FIELDS}
# What results have in common that are to be compared with each other.
CASE_FIELDS = {"bench_svd": ("group", "batch", "rows", "cols", "precision", "job"),
               "bench_eigh": ("group", "batch", "n", "precision", "job"),
               "bench_qr": ("group", "batch", "rows", "cols", "precision", "job"),
               "bench_solve": ("group", "batch", "n", "columns", "precision", "job"),
               "bench_lstsq": ("group", "batch", "rows", "cols", "columns", "precision", "job"),
               "bench_complex": ("group", "batch", "n", "precision", "job"),
               "bench_determinant": ("group", "batch", "n", "precision"),
               "bench_pseudoinverse": ("group", "frames", "n", "m", "k", "precision"),
               "bench_reduction": ("function", "length", "precision"),
               "bench_gemv": ("rows", "cols", "op", "precision"),
               "bench_gemm": ("group", "batch", "rows", "cols", "terms", "precision"),
               "bench_recommenders": ("group", "data", "k", "precision"),
               "bench_pictures": ("group", "size"),
               "bench_distributed": ("function", "size", "ranks")}
