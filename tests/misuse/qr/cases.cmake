set(qr_cases
  "qr_A_of_int|qr: A must be a strided View of float, double or Kokkos::complex of these"
  "qr_R_of_another_type|qr: R must be a writable strided View of A's rank and scalar type"
  "qr_R_of_real_numbers|qr: R must be a writable strided View of A's rank and scalar type"
  "qr_Q_of_constants|qr: Q must be carroll::none or a writable strided View"
  "qr_P_of_double|pivoted_qr: P must be a writable strided View of int"
  "qr_workspace_of_another_type|qr: the workspace must have the scalar type of A"
  "qr_workspace_of_int|qr_workspace: the scalar must be float, double or Kokkos::complex of one of these"
  "qr_workspace_of_parts|qr: the workspace must have the scalar type of A"
  "qr_info_of_int|qr_async: info must be a writable View"
  "qr_ragged_A_of_rank_2|qr_ragged: A must be a View of rank 1")
carroll_add_compile_failures(qr qr/does_not_compile.cpp ${qr_cases})
