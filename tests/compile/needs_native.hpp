// For tests of native code: they need the back end, which a build may leave out.
#pragma once

#include <gtest/gtest.h>

// Skips the test where Daedal was built without the native back end; where it was built with it, it must be found.
#define NEEDS_NATIVE(kernel)                                              \
  if (!(kernel)->wait_native()) {                                         \
    ASSERT_FALSE(DAEDAL_NATIVE_BACKEND) << "the module cannot be loaded"; \
    GTEST_SKIP() << "built without the native back end";                  \
  }                                                                       \
  static_assert(true)
