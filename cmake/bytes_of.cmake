# cmake -DFROM=file -DTO=header -DNAME=symbol -P bytes_of.cmake: the file's bytes, and a zero, as an array of char.
file(READ ${FROM} bytes HEX)
string(REGEX REPLACE "(................................................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${TO} "static const char ${NAME}[] = {\n${bytes}0};\n")
