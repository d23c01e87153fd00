set(eigh_cases
  "eigh_A_of_int|eigh: A must be a strided View of float, double or Kokkos::complex of these"
  "eigh_W_of_another_type|eigh: W must have the scalar type of A"
  "eigh_V_of_constants|eigh: V must be carroll::none or a writable strided View"
  "eigh_workspace_of_another_type|eigh: the workspace must have the scalar type of A"
  "eigh_workspace_of_int|eigh_workspace: T must be float, double or Kokkos::complex of these"
  "eigh_info_of_int|eigh_async: info must be a writable View"
  "eigh_W_of_complex|eigh: W must be a writable strided View of one rank less than A"
  "eigh_W_of_another_precision|eigh: W must have the scalar type of A, or that of the parts of a complex A"
  "eigh_V_of_real|eigh: V must be carroll::none or a writable strided View"
  "eigh_workspace_of_real|eigh: the workspace must have the scalar type of A"
  "eigh_ragged_A_of_int|eigh_ragged: A must be a View of rank 1 of float, double or Kokkos::complex of these"
  "eigh_ragged_W_of_complex|eigh_ragged: W must be a writable View of rank 1 of A's scalar type, or that of the parts"
  "eigh_ragged_V_of_real|eigh_ragged: V must be carroll::none or a writable View of rank 1"
  "eigh_ragged_workspace_of_int|eigh_ragged_workspace: T must be float, double or Kokkos::complex of these"
  "eigh_ragged_A_of_rank_2|eigh_ragged: A must be a View of rank 1")
carroll_add_compile_failures(eigh eigh/does_not_compile.cpp ${eigh_cases})
