set(lstsq_cases
  "lstsq_A_of_int|lstsq: A must be a strided View of float, double or Kokkos::complex of these"
  "lstsq_B_of_another_type|lstsq: B must be a strided View of A's scalar type"
  "lstsq_B_of_a_batch|lstsq: B must be a strided View of A's scalar type and of its rank, or of one less"
  "lstsq_X_of_another_rank|lstsq: X must be a writable strided View of B's rank"
  "lstsq_X_of_constants|lstsq: X must be a writable strided View"
  "lstsq_workspace_of_another_type|lstsq: the workspace must have the scalar type of A"
  "lstsq_workspace_of_int|lstsq_workspace: T must be float, double or Kokkos::complex of these"
  "lstsq_info_of_int|lstsq_async: info must be a writable View"
  "lstsq_X_of_real|lstsq: X must be a writable strided View of B's rank and A's scalar type"
  "lstsq_info_of_complex|lstsq_async: info must be a writable View"
  "pinv_P_of_real|pinv: P must be a writable strided View"
  "pinv_A_of_rank_1|pinv: A must be a strided View of float, double or Kokkos::complex of these"
  "pinv_P_of_constants|pinv: P must be a writable strided View"
  "pinv_workspace_of_int|pinv_workspace: T must be float, double or Kokkos::complex of these")
carroll_add_compile_failures(lstsq lstsq/does_not_compile.cpp ${lstsq_cases})
