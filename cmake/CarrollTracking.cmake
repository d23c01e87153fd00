# Direct tracking: Carroll::tracking makes meshes of pictures, and the tool's `carroll track` and `carroll synth-sequence`
# read and write pictures with libpng, which nothing else needs.
set(Carroll_ENABLE_TRACKING AUTO
    CACHE STRING "Carroll::tracking and `carroll track`: AUTO (the tool's part where libpng is), ON (required) or OFF")
set_property(CACHE Carroll_ENABLE_TRACKING PROPERTY STRINGS AUTO ON OFF)

set(carroll_tracking OFF)  # Carroll::tracking
set(carroll_pictures OFF)  # and the commands of the tool
if(NOT Carroll_ENABLE_TRACKING MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "Carroll_ENABLE_TRACKING is '${Carroll_ENABLE_TRACKING}'; it is AUTO, ON or OFF.")
endif()
if(NOT Carroll_ENABLE_TRACKING STREQUAL "OFF")
  set(carroll_tracking ON)
  if(Carroll_ENABLE_APPS)
    find_package(PNG QUIET)
    if(TARGET PNG::PNG)
      set(carroll_pictures ON)
      message(STATUS "Carroll: found libpng ${PNG_VERSION_STRING}")
    elseif(Carroll_ENABLE_TRACKING STREQUAL "ON")
      message(FATAL_ERROR
        "Carroll needs libpng (libpng-dev) for direct tracking. Install it from packages (Debian's names are in "
        "brackets), point CMAKE_PREFIX_PATH to where it is, or give -DCarroll_ENABLE_TRACKING=OFF to do without.")
    else()
      message(STATUS "Carroll: no libpng (libpng-dev); going without what direct tracking needs it for")
    endif()
  endif()
endif()
