set(solve_cases
  "solve_A_of_int|solve: A must be a strided View of float, double or Kokkos::complex of these"
  "solve_A_of_rank_1|solve: A must be a strided View of float, double or Kokkos::complex of these, of rank 2"
  "solve_B_of_another_type|solve: B must be a strided View of A's rank and scalar type"
  "solve_B_of_another_rank|solve: B must be a strided View of A's rank and scalar type"
  "solve_X_of_constants|solve: X must be a writable strided View"
  "solve_workspace_of_another_type|solve: the workspace must have the scalar type of A"
  "solve_workspace_of_int|solve_workspace: the scalar must be float, double or Kokkos::complex of one of these"
  "solve_B_real_and_A_complex|solve: B must be a strided View of A's rank and scalar type"
  "solve_info_of_complex|solve_async: info must be a writable View"
  "solve_info_of_another_type|solve_async: info must be a writable View")
carroll_add_compile_failures(solve solve/does_not_compile.cpp ${solve_cases})
