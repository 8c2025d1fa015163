# cmake/embed.cmake: write files as C strings. PAIRS: name|file|name|file…; ROOT: their folder; OUT: the C file.
#
# Lines that only mean something in our tree (`#pragma once`, `#include`) are left out, as is the comment at the top.
string(REPLACE "|" ";" pairs "${PAIRS}")
set(all "// Generated from files of src/ by cmake/embed.cmake.\n")
while(pairs)
    list(POP_FRONT pairs name file)
    file(READ ${ROOT}/${file} text)
    string(REGEX REPLACE "^(//[^\n]*\n)+" "" text "${text}")
    string(REGEX REPLACE "#(pragma once|include)[^\n]*\n" "" text "${text}")
    string(REGEX REPLACE "^\n+" "" text "${text}")
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "\n" "\\n\"\n    \"" text "${text}")
    string(APPEND all "extern const char text_${name}[];\nconst char text_${name}[] =\n    \"${text}\";\n")
endwhile()
file(WRITE ${OUT} "${all}")
