set(narrow_cases
  "narrow_svd_S_of_16_bits|svd: S of a 16-bit A must be a writable strided View of float"
  "narrow_svd_U_of_double|svd: U of a 16-bit A must be carroll::none or a writable strided View"
  "narrow_svd_V_of_the_other_type|svd: V of a 16-bit A must be carroll::none or a writable strided View"
  "narrow_svd_A_of_rank_1|svd: a 16-bit A must be a strided View of rank 2"
  "narrow_svd_workspace_of_float|svd: the workspace must have the scalar type of A"
  "narrow_svd_info_of_double|svd_async: info must be a writable View of carroll::SvdInfo of A's"
  "narrow_svd_float_A_with_16_bit_U|svd: U must be carroll::none or a writable strided View of A's rank and"
  "narrow_eigh_W_of_16_bits|eigh: W of a 16-bit A must be a writable strided View of float"
  "narrow_eigh_V_of_constants|eigh: V of a 16-bit A must be carroll::none or a writable strided View"
  "narrow_determinant_overwrites|determinant: A must be a strided View of float, double or Kokkos::complex"
  "narrow_determinant_A_of_rank_1|determinant_of: a 16-bit A must be a strided View of rank 2")
carroll_add_compile_failures(narrow narrow/does_not_compile.cpp ${narrow_cases})
