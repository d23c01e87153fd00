set(svd_cases
  "A_of_int|svd: A must be a strided View of float or double"
  "A_of_rank_1|svd: A must be a strided View of float or double, of rank 2"
  "S_of_another_type|svd: S must have the scalar type of A"
  "S_of_rank_2|svd: S must be a writable strided View of one rank less than A"
  "U_of_constants|svd: U must be carroll::none or a writable strided View"
  "V_of_rank_3|svd: V must be carroll::none or a writable strided View of A's rank"
  "workspace_of_another_type|svd: the workspace must have the scalar type of A"
  "workspace_of_int|svd_workspace: Real must be float or double"
  "info_of_int|svd_async: info must be a"
  "ragged_A_of_rank_2|svd_ragged: A must be a View of rank 1"
  "truncated_A_of_rank_3|truncated_svd: A must be a strided View of float or double, of rank 2"
  "truncated_U_of_constants|truncated_svd: U must be a writable strided View"
  "truncated_S_of_another_type|truncated_svd: S must be a writable strided View of rank 1"
  "truncated_without_V|truncated_svd: V must be a writable strided View"
  "truncated_workspace_of_another_type|truncated_svd: the workspace must have the scalar type"
  "truncated_workspace_of_int|truncated_svd_workspace: Real must be float or double"
  "truncated_info_of_int|truncated_svd_async: info must be a writable View")
if("CUDA" IN_LIST Carroll_KOKKOS_DEVICES)
  list(APPEND svd_cases "A_on_the_host|svd: A must be .*in memory that the execution space can access")
endif()
carroll_add_compile_failures(svd svd/does_not_compile.cpp ${svd_cases})
