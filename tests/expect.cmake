# Runs a program, which has to succeed and to print what matches: cmake -D PROGRAM=… -D PATTERN=… -P expect.cmake, with
# -D ARGUMENTS=…, a list, if there are any.
execute_process(COMMAND "${PROGRAM}" ${ARGUMENTS} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors)
message("${output}${errors}")
if(NOT result EQUAL 0)
  message(FATAL_ERROR "exit status ${result}")
elseif(NOT output MATCHES "${PATTERN}")
  message(FATAL_ERROR "does not match ${PATTERN}")
endif()
