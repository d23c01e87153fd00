# Pictures in the tool: `carroll compress` and `carroll decompress` read and write PNG with libpng and need zstd; they and
# `carroll track` read JPEG where libjpeg is. Carroll::pictures itself needs nothing.
set(Carroll_ENABLE_COMPRESSION AUTO
    CACHE STRING "`carroll compress` and `decompress`: AUTO (where libpng and zstd are), ON (required) or OFF")
set_property(CACHE Carroll_ENABLE_COMPRESSION PROPERTY STRINGS AUTO ON OFF)

set(carroll_compression OFF)
set(carroll_jpeg OFF)
if(NOT Carroll_ENABLE_COMPRESSION MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "Carroll_ENABLE_COMPRESSION is '${Carroll_ENABLE_COMPRESSION}'; it is AUTO, ON or OFF.")
endif()
if(Carroll_ENABLE_APPS AND NOT Carroll_ENABLE_COMPRESSION STREQUAL "OFF")
  find_package(PNG QUIET)
  find_package(zstd CONFIG QUIET)
  set(carroll_zstd "")
  foreach(target zstd::libzstd_shared zstd::libzstd zstd::libzstd_static)
    if(TARGET ${target} AND NOT carroll_zstd)
      set(carroll_zstd ${target})
    endif()
  endforeach()
  if(TARGET PNG::PNG AND carroll_zstd)
    set(carroll_compression ON)
    message(STATUS "Carroll: found zstd ${zstd_VERSION}")
  elseif(Carroll_ENABLE_COMPRESSION STREQUAL "ON")
    message(FATAL_ERROR
      "Carroll needs libpng (libpng-dev) and zstd (libzstd-dev) for `carroll compress`. Install them from packages "
      "(Debian's names are in brackets), point CMAKE_PREFIX_PATH to where they are, or give "
      "-DCarroll_ENABLE_COMPRESSION=OFF to do without.")
  else()
    message(STATUS "Carroll: no libpng or no zstd (libzstd-dev); going without `carroll compress`")
  endif()
endif()
if(carroll_compression OR carroll_pictures)
  find_package(JPEG QUIET)
  if(TARGET JPEG::JPEG)
    set(carroll_jpeg ON)
    message(STATUS "Carroll: found libjpeg ${JPEG_VERSION}")
  endif()
endif()
