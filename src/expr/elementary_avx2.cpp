// Array versions of the elementary functions on 4 lanes (SLEEF's finz family).
#if defined(__x86_64__)
#define DAEDAL_WIDTH avx2
#define DAEDAL_LANES 4
#define DAEDAL_LOAD _mm256_loadu_pd
#define DAEDAL_STORE _mm256_storeu_pd
#define DAEDAL_VECTOR(name) Sleef_finz_##name##d4_u10avx2
#include "expr/elementary_loops.hpp"
#endif
