// Array versions of the elementary functions on 8 lanes (SLEEF's finz family).
#if defined(__x86_64__)
#define DAEDAL_WIDTH avx512
#define DAEDAL_LANES 8
#define DAEDAL_LOAD _mm512_loadu_pd
#define DAEDAL_STORE _mm512_storeu_pd
#define DAEDAL_VECTOR(name) Sleef_finz_##name##d8_u10avx512f
#include "expr/elementary_loops.hpp"
#endif
