set(complex_svd_cases
  "complex_svd_S_of_complex|svd: S of a complex A must be a writable strided View of real numbers"
  "complex_svd_S_of_another_precision|svd: S of a complex A must be a writable strided View of real numbers"
  "complex_svd_U_of_real|svd: U of a complex A must be carroll::none or a writable strided View"
  "complex_svd_V_of_another_precision|svd: V of a complex A must be carroll::none or a writable strided View"
  "complex_svd_real_A_with_complex_U|svd: U must be carroll::none or a writable strided View of A's rank and"
  "complex_svd_A_of_rank_1|svd: A must be a strided View of rank 2"
  "complex_svd_real_workspace|svd: the workspace must have the scalar type of A"
  "complex_svd_info_of_complex|svd_async: info must be a writable View of carroll::SvdInfo of A's")
carroll_add_compile_failures(complex_svd complex_svd/does_not_compile.cpp ${complex_svd_cases})
