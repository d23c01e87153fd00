# A library without a CMake package of its own, as a target that every folder knows. Serves the build and the installed
# package alike.
include_guard(GLOBAL)

function(carroll_import_library target library include_dir)
  if(NOT TARGET ${target})
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES
      INTERFACE_LINK_LIBRARIES "${library}"
      INTERFACE_INCLUDE_DIRECTORIES "${include_dir}")
  endif()
endfunction()
