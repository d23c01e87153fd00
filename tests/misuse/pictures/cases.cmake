set(picture_cases
  "denoise_of_int|denoise: picture must be a strided View of float or double, of rank 2 or 3"
  "denoise_into_constants|denoise: result must be a writable strided View of float or double"
  "denoise_into_another_rank|denoise: result must be a writable strided View of float or double, of the picture's rank"
  "denoise_info_of_rank_1|denoise_async: info must be a View of DenoiseInfo of rank 0"
  "denoise_frames_info_of_int|denoise_frames_async: info must be a View of DenoiseInfo of rank 0"
  "robust_pca_of_rank_3|robust_pca: D, L and S must be strided Views of float or double, of rank 2"
  "robust_pca_into_two_types|robust_pca: L and S must be of the same type"
  "patches_info_of_rank_1|factorise_patches_async: info must be a View of PatchFactorInfo of rank 0"
  "error_of_rank_1|picture_error: picture and original must be strided Views of float or double, of rank 2")
carroll_add_compile_failures(pictures pictures/does_not_compile.cpp ${picture_cases})
