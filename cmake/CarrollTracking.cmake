# Direct tracking: Carroll::tracking triangulates with Qhull, and the tool's `carroll track` and `carroll synth-sequence`
# read and write pictures with libpng. Nothing else needs these two.
set(Carroll_ENABLE_TRACKING AUTO
    CACHE STRING "Carroll::tracking and `carroll track`: AUTO (where Qhull, and libpng, are), ON (required) or OFF")
set_property(CACHE Carroll_ENABLE_TRACKING PROPERTY STRINGS AUTO ON OFF)

set(carroll_tracking OFF)  # Carroll::tracking
set(carroll_pictures OFF)  # and the commands of the tool
if(NOT Carroll_ENABLE_TRACKING MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "Carroll_ENABLE_TRACKING is '${Carroll_ENABLE_TRACKING}'; it is AUTO, ON or OFF.")
endif()
if(NOT Carroll_ENABLE_TRACKING STREQUAL "OFF")
  find_package(Qhull QUIET GLOBAL)
  set(carroll_tracking_missing "")
  if(TARGET Qhull::qhull_r)
    set(carroll_tracking ON)
    message(STATUS "Carroll: found Qhull ${Qhull_VERSION} (${Qhull_DIR})")
  else()
    list(APPEND carroll_tracking_missing "Qhull (libqhull-dev)")
  endif()
  if(Carroll_ENABLE_APPS)
    find_package(PNG QUIET)
    if(NOT TARGET PNG::PNG)
      list(APPEND carroll_tracking_missing "libpng (libpng-dev)")
    elseif(carroll_tracking)
      set(carroll_pictures ON)
      message(STATUS "Carroll: found libpng ${PNG_VERSION_STRING}")
    endif()
  endif()
  if(carroll_tracking_missing)
    list(JOIN carroll_tracking_missing " and " carroll_tracking_missing)
    if(Carroll_ENABLE_TRACKING STREQUAL "ON")
      message(FATAL_ERROR
        "Carroll needs ${carroll_tracking_missing} for direct tracking. Install it from packages (Debian's names are in "
        "brackets), point CMAKE_PREFIX_PATH to where it is, or give -DCarroll_ENABLE_TRACKING=OFF to do without.")
    endif()
    message(STATUS "Carroll: no ${carroll_tracking_missing}; going without what direct tracking needs it for")
  endif()
endif()
