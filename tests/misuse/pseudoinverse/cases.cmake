set(pseudoinverse_cases
  "arrow_motion_of_rank_1|pseudoinverse: A.motion must be a strided View of float or double, of rank 2"
  "arrow_depth_of_another_type|pseudoinverse: A.depth must be a strided View of A.motion's scalar type"
  "arrow_offsets_of_long|pseudoinverse: A.segment_offsets must be a strided View of int"
  "arrow_solution_of_constants|apply_pseudoinverse: x.motion and x.depth must be writable"
  "arrow_rhs_of_rank_3|apply_pseudoinverse: d must be a strided View"
  "arrow_inverse_of_rank_1|pseudoinverse: the inverse must be a writable strided View"
  "arrow_workspace_of_int|pseudoinverse_workspace: Real must be float or double"
  "arrow_info_of_int|apply_pseudoinverse_async: info must be a writable View"
  "fused_rows_of_numbers|apply_pseudoinverse: A.rows.frame, row. must return a carroll::ArrowRow"
  "mesh_triangles_of_long|mesh_triangulation: triangles must be a strided View of int"
  "mesh_rows_of_numbers|mesh_jacobian: rows.frame, triangle..row. must return a carroll::MeshRow"
  "mesh_depth_variances|mesh_jacobian: depth variances are not to be had")
carroll_add_compile_failures(pseudoinverse pseudoinverse/does_not_compile.cpp ${pseudoinverse_cases})
