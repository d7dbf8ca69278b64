// Array versions of the elementary functions on 2 lanes (SLEEF's cinz family).
#if defined(__x86_64__)
#define DAEDAL_WIDTH sse2
#define DAEDAL_LANES 2
#define DAEDAL_LOAD _mm_loadu_pd
#define DAEDAL_STORE _mm_storeu_pd
#define DAEDAL_VECTOR(name) Sleef_cinz_##name##d2_u10sse2
#include "expr/elementary_loops.hpp"
#endif
