#include "compile/native_module.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <vector>

namespace daedal::compile {
namespace {

constexpr const char* file_name = "libdaedal_native.so";

double spline_value(const expr::PiecewisePolynomial* spline, double x, int derivative) {
  return spline->value(x, derivative);
}

// The file this code lives in: the executable, or the shared library that Daedal was linked into.
std::filesystem::path own_file() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<const void*>(&load_native_module), &info) || !info.dli_fname)
    return {};
  std::error_code ignored;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const std::filesystem::path file = std::filesystem::canonical(info.dli_fname, ignored);
  return ignored ? program : file;
}

// Beside the program, in the folder it was installed to with it, where it was built, where a user's program finds the
// installed package.
std::vector<std::filesystem::path> candidates() {
  const std::filesystem::path folder = own_file().parent_path();
  return {folder / file_name, folder / ".." / "lib" / "daedal" / file_name,
          std::filesystem::path(DAEDAL_NATIVE_BUILD_DIR) / file_name,
          std::filesystem::path(DAEDAL_NATIVE_INSTALL_DIR) / file_name};
}

NativeCompile open_module(const std::filesystem::path& path) {
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module) return nullptr;
  const auto version = reinterpret_cast<NativeVersion>(dlsym(module, native_version_symbol));
  if (!version || version() != native_interface_version) return nullptr;
  return reinterpret_cast<NativeCompile>(dlsym(module, native_compile_symbol));
}

}  // namespace

NativeCompile load_native_module() {
  if (!DAEDAL_NATIVE_BACKEND) return nullptr;
  std::error_code ignored;
  for (const std::filesystem::path& path : candidates()) {
    if (!std::filesystem::exists(path, ignored)) continue;
    if (const NativeCompile compile = open_module(path)) return compile;
  }
  return nullptr;
}

NativeCalls native_calls() {
  namespace elementary = expr::elementary;
  return {elementary::unary,
          elementary::binary,
          elementary::unary_array,
          elementary::binary_array,
          elementary::sincos_function(),
          elementary::sincos_array(),
          expr::rest_to_rest_value,
          spline_value};
}

}  // namespace daedal::compile
