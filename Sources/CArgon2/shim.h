#include <argon2.h>
#include <malloc.h>
