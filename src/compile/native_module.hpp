// Finding and loading the native back end.
#pragma once

#include "daedal/compile/native_interface.hpp"

namespace daedal::compile {

/// The compile function of the module beside the executable, in ../lib/daedal, or in the build folder; null when Daedal
/// was built without it or it is not there. Loads it on the first call and keeps it: LLVM cannot be unloaded safely.
NativeCompile load_native_module();

/// The functions native code calls.
NativeCalls native_calls();

}  // namespace daedal::compile
