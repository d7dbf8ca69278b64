// Elementary functions of exported C give the bits of simulations, whatever the argument.
#include "emit/c_elementary.hpp"

#include "daedal/emit/files.hpp"
#include "daedal/expr/elementary.hpp"
#include "support/special_doubles.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace daedal::emit {
namespace {

using expr::Op;
namespace elementary = expr::elementary;

const std::vector<Op> unary_ops{Op::sin,  Op::cos,  Op::tan,  Op::asin, Op::acos, Op::atan,
                                Op::sinh, Op::cosh, Op::tanh, Op::exp,  Op::log};
const std::vector<Op> binary_ops{Op::pow, Op::atan2};

/// One function of the text, under the name `called`.
std::string entry(Op op) {
  const bool binary = expr::arity(op) == 2;
  return binary
             ? "double call(double x, double y) { return " + c_elementary_name(op) + "(x, y); }\n"
             : "double call(double x) { return " + c_elementary_name(op) + "(x); }\n";
}

/// The function of C alone in its file: what it does not need would be a warning.
class Compiled {
 public:
  explicit Compiled(Op op) {
    folder_ = std::filesystem::temp_directory_path() /
              ("daedal_elementary_" + std::to_string(::getpid()) + "_" +
               std::to_string(static_cast<int>(op)));
    std::filesystem::create_directory(folder_);
    const std::string source = (folder_ / "f.c").string(), library = (folder_ / "f.so").string();
    const std::string call = entry(op);
    write_text("#include <math.h>\n#include <stdint.h>\n#include <string.h>\n" +
                   c_elementary({op}) + "\n" + call.substr(0, call.find(" {")) + ";\n" + call,
               source);
    EXPECT_EQ(std::system(("cc -std=c99 -Wall -Wextra -Wpedantic -Werror -O2 -ffp-contract=off "
                           "-shared -fPIC -o " +
                           library + " " + source + " -lm")
                              .c_str()),
              0);
    handle_ = dlopen(library.c_str(), RTLD_NOW);
    if (handle_ != nullptr) call_ = dlsym(handle_, "call");
  }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() {
    if (handle_ != nullptr) dlclose(handle_);
    std::filesystem::remove_all(folder_);
  }
  bool loaded() const { return call_ != nullptr; }
  double operator()(double x) const { return reinterpret_cast<double (*)(double)>(call_)(x); }
  double operator()(double x, double y) const {
    return reinterpret_cast<double (*)(double, double)>(call_)(x, y);
  }

 private:
  std::filesystem::path folder_;
  void* handle_ = nullptr;
  void* call_ = nullptr;
};

/// All NaNs are one value.
std::uint64_t bits(double v) {
  return std::isnan(v) ? 0x7ff8000000000000u : std::bit_cast<std::uint64_t>(v);
}

/// Ends and middles of ranges, infinities, subnormal numbers; then random ones: any bits, usual sizes, near multiples of pi/2, small.
class Arguments {
 public:
  explicit Arguments(std::uint64_t seed) : random_(seed) {}
  double operator()(std::size_t k) {
    if (k < special_.size()) return special_[k];
    switch (random_() % 5) {
      case 0:
        return std::bit_cast<double>(random_());
      case 1:
        return usual_(random_);
      case 2:
        return std::nextafter(M_PI_2 * std::floor(std::exp(size_(random_))),
                              random_() % 2 == 0 ? 0.0 : 1e300);
      case 3:
        return std::ldexp(unit_(random_), static_cast<int>(random_() % 120) - 60);
      default:
        return unit_(random_);
    }
  }
  std::size_t special() const { return special_.size(); }

 private:
  std::vector<double> special_ = test::special_doubles({2.2250738585072014e-308,
                                                        5.5626846462680083984e-309,
                                                        1e22,
                                                        -1e22,
                                                        1e300,
                                                        1.7976931348623157e308,
                                                        -1.7976931348623157e308,
                                                        14.999999999999998,
                                                        15,
                                                        -15,
                                                        99999999999999.984,
                                                        1e14,
                                                        -1e14,
                                                        std::ldexp(1, 700),
                                                        std::ldexp(1, 701),
                                                        709.78271114955743,
                                                        709.78271114955754,
                                                        710,
                                                        std::nextafter(710, 711),
                                                        -708.4,
                                                        -745.13,
                                                        -745.14,
                                                        -746,
                                                        -1000,
                                                        -1001,
                                                        18.714973875,
                                                        M_PI,
                                                        M_PI_2,
                                                        2,
                                                        3,
                                                        -3,
                                                        1023,
                                                        1e16,
                                                        0.75,
                                                        std::nextafter(1, 0),
                                                        std::nextafter(1, 2),
                                                        std::nextafter(0.5, 0)});
  std::mt19937_64 random_;
  std::uniform_real_distribution<double> usual_{-20, 20}, unit_{-1, 1}, size_{0, 100};
};

void expect_common_bits(std::size_t count) {
  if (!elementary::has_common_bits()) GTEST_SKIP() << "a processor without fused operations";
  for (const Op op : unary_ops) {
    const Compiled compiled(op);
    ASSERT_TRUE(compiled.loaded()) << c_elementary_name(op);
    Arguments x(20);
    for (std::size_t k = 0; k < count; ++k) {
      const double argument = x(k);
      ASSERT_EQ(bits(compiled(argument)), bits(elementary::unary(op)(argument)))
          << c_elementary_name(op) << " of " << std::hexfloat << argument;
    }
  }
  for (const Op op : binary_ops) {
    const Compiled compiled(op);
    ASSERT_TRUE(compiled.loaded()) << c_elementary_name(op);
    Arguments x(21), y(22);
    const std::size_t special = x.special();
    for (std::size_t k = 0; k < count; ++k) {  // all pairs of special values first
      const bool in_grid = k < special * special;
      const double a = x(in_grid ? k % special : k), b = y(in_grid ? k / special : special + k / 2);
      ASSERT_EQ(bits(compiled(a, b)), bits(elementary::binary(op)(a, b)))
          << c_elementary_name(op) << " of " << std::hexfloat << a << ", " << b;
    }
  }
}

TEST(CElementary, functions_give_the_bits_of_simulations) { expect_common_bits(100'000); }

TEST(CElementary, SlowFunctionsGiveTheBitsOfSimulations) { expect_common_bits(1'000'000); }

}  // namespace
}  // namespace daedal::emit
