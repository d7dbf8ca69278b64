// Texts of units: what there is, how it is read, and what a dimension is called.
#include "daedal/base/diagnostic.hpp"
#include "daedal/units/dimension.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <map>
#include <numbers>
#include <utility>

namespace daedal::model {

namespace {

struct NamedDimension {
  const char* name;
  Dimension dimension;
};

/// What inferred dimensions are called; the first that fits.
constexpr NamedDimension called[] = {
    {"1", {{0, 0, 0, 0, 0, 0, 0}}},      {"J", {{1, 2, -2, 0, 0, 0, 0}}},
    {"N", {{1, 1, -2, 0, 0, 0, 0}}},     {"W", {{1, 2, -3, 0, 0, 0, 0}}},
    {"Pa", {{1, -1, -2, 0, 0, 0, 0}}},   {"N/m", {{1, 0, -2, 0, 0, 0, 0}}},
    {"N*s/m", {{1, 0, -1, 0, 0, 0, 0}}}, {"N*s", {{1, 1, -1, 0, 0, 0, 0}}},
    {"J*s", {{1, 2, -1, 0, 0, 0, 0}}},   {"V", {{1, 2, -3, -1, 0, 0, 0}}},
    {"ohm", {{1, 2, -3, -2, 0, 0, 0}}},  {"C", {{0, 0, 1, 1, 0, 0, 0}}},
    {"F", {{-1, -2, 4, 2, 0, 0, 0}}},    {"H", {{1, 2, -2, -2, 0, 0, 0}}},
    {"V*s", {{1, 2, -2, -1, 0, 0, 0}}},
};

constexpr const char* base_names[] = {"kg", "m", "s", "A", "K", "mol", "cd"};

/// A product of powers: "kg*m^2/(s*mol)".
class Product {
 public:
  void times(const std::string& name, Rational exponent) {
    for (Factor& factor : factors_)
      if (factor.name == name) {
        factor.exponent = factor.exponent + exponent;
        return;
      }
    factors_.push_back({name, exponent});
  }

  std::string text() const {
    std::string above, below;
    std::size_t divisors = 0;
    for (const auto& [name, exponent] : factors_) {
      if (exponent.is_zero()) continue;
      const bool divides = exponent.numerator() < 0;
      std::string& side = divides ? below : above;
      const Rational size = divides ? Rational(-1) * exponent : exponent;
      divisors += divides ? 1 : 0;
      if (!side.empty()) side += '*';
      side += size == Rational(1) ? name : name + "^" + size.text();
    }
    if (above.empty()) above = "1";
    if (below.empty()) return above;
    return above + "/" + (divisors > 1 ? "(" + below + ")" : below);
  }

 private:
  struct Factor {
    std::string name;
    Rational exponent;
  };
  std::vector<Factor> factors_;
};

}  // namespace

std::string unit_text(const Dimension& dimension) {
  for (const NamedDimension& known : called)
    if (known.dimension == dimension) return known.name;
  Product product;
  for (std::size_t i = 0; i < std::size(base_names); ++i)
    product.times(base_names[i], dimension.exponents[i]);
  return product.text();
}

std::string force_unit_text(const Dimension& dimension) {
  return dimension == dimensions::energy ? "N*m" : unit_text(dimension);
}

// ---- the units there are

namespace {

struct NamedUnit {
  const char* name;
  Dimension dimension;
  double numerator, denominator;  // of the factor to SI
  const char* si;                 // in SI units, as factors joined by spaces: "rad s^-1"
  const char* prefixes;           // that it may have
};

constexpr const char* all_prefixes = "fpnumkMGT";
constexpr double half_turn = std::numbers::pi;

constexpr NamedUnit named_units[] = {
    {"1", {}, 1, 1, "", ""},
    {"%", {}, 1, 100, "", ""},
    {"rad", {}, 1, 1, "rad", "um"},
    {"deg", {}, half_turn, 180, "rad", ""},
    {"rev", {}, 2 * half_turn, 1, "rad", ""},
    {"turn", {}, 2 * half_turn, 1, "rad", ""},
    {"rpm", {{0, 0, -1, 0, 0, 0, 0}}, half_turn, 30, "rad s^-1", ""},
    {"sr", {}, 1, 1, "sr", ""},
    {"m", {{0, 1, 0, 0, 0, 0, 0}}, 1, 1, "m", "fpnumcdkMGT"},
    {"g", {{1, 0, 0, 0, 0, 0, 0}}, 1, 1000, "kg", all_prefixes},
    {"t", {{1, 0, 0, 0, 0, 0, 0}}, 1000, 1, "kg", "k"},
    {"s", {{0, 0, 1, 0, 0, 0, 0}}, 1, 1, "s", "fpnum"},
    {"min", {{0, 0, 1, 0, 0, 0, 0}}, 60, 1, "s", ""},
    {"h", {{0, 0, 1, 0, 0, 0, 0}}, 3600, 1, "s", ""},
    {"A", {{0, 0, 0, 1, 0, 0, 0}}, 1, 1, "A", all_prefixes},
    {"K", {{0, 0, 0, 0, 1, 0, 0}}, 1, 1, "K", "um"},
    {"mol", {{0, 0, 0, 0, 0, 1, 0}}, 1, 1, "mol", "numk"},
    {"cd", {{0, 0, 0, 0, 0, 0, 1}}, 1, 1, "cd", "m"},
    {"N", {{1, 1, -2, 0, 0, 0, 0}}, 1, 1, "N", all_prefixes},
    {"Pa", {{1, -1, -2, 0, 0, 0, 0}}, 1, 1, "Pa", "umhkMGT"},
    {"bar", {{1, -1, -2, 0, 0, 0, 0}}, 1e5, 1, "Pa", "m"},
    {"J", {{1, 2, -2, 0, 0, 0, 0}}, 1, 1, "J", all_prefixes},
    {"Wh", {{1, 2, -2, 0, 0, 0, 0}}, 3600, 1, "J", "kMGT"},
    {"W", {{1, 2, -3, 0, 0, 0, 0}}, 1, 1, "W", all_prefixes},
    {"Hz", {{0, 0, -1, 0, 0, 0, 0}}, 1, 1, "Hz", "mkMGT"},
    {"V", {{1, 2, -3, -1, 0, 0, 0}}, 1, 1, "V", all_prefixes},
    {"ohm", {{1, 2, -3, -2, 0, 0, 0}}, 1, 1, "ohm", "umkMG"},
    {"C", {{0, 0, 1, 1, 0, 0, 0}}, 1, 1, "C", "fpnumk"},
    {"F", {{-1, -2, 4, 2, 0, 0, 0}}, 1, 1, "F", "fpnum"},
    {"H", {{1, 2, -2, -2, 0, 0, 0}}, 1, 1, "H", "pnum"},
    {"Wb", {{1, 2, -2, -1, 0, 0, 0}}, 1, 1, "Wb", "m"},
    {"T", {{1, 0, -2, -1, 0, 0, 0}}, 1, 1, "T", "num"},
    {"L", {{0, 3, 0, 0, 0, 0, 0}}, 1, 1000, "m^3", "umcdh"},
    {"l", {{0, 3, 0, 0, 0, 0, 0}}, 1, 1000, "m^3", "umcdh"},
};

struct Prefix {
  char letter;
  double numerator, denominator;
};
constexpr Prefix known_prefixes[] = {{'f', 1, 1e15}, {'p', 1, 1e12}, {'n', 1, 1e9}, {'u', 1, 1e6},
                                     {'m', 1, 1e3},  {'c', 1, 100},  {'d', 1, 10},  {'h', 100, 1},
                                     {'k', 1e3, 1},  {'M', 1e6, 1},  {'G', 1e9, 1}, {'T', 1e12, 1}};

/// A unit by its name, with or without a prefix.
struct SimpleUnit {
  Dimension dimension;
  double numerator = 1, denominator = 1;
  const char* si = "";
};

std::map<std::string, SimpleUnit, std::less<>> every_unit() {
  std::map<std::string, SimpleUnit, std::less<>> units;
  for (const NamedUnit& unit : named_units)
    units[unit.name] = {unit.dimension, unit.numerator, unit.denominator, unit.si};
  for (const NamedUnit& unit : named_units)
    for (const char letter : std::string_view(unit.prefixes))
      for (const Prefix& prefix : known_prefixes)
        if (prefix.letter == letter) {
          double numerator = unit.numerator * prefix.numerator;
          double denominator = unit.denominator * prefix.denominator;
          const double common = std::min(numerator, denominator);  // powers of ten: kg is 1
          if (std::fmod(numerator, common) == 0 && std::fmod(denominator, common) == 0)
            numerator /= common, denominator /= common;
          units.try_emplace(letter + std::string(unit.name),
                            SimpleUnit{unit.dimension, numerator, denominator, unit.si});
        }
  return units;
}

const std::map<std::string, SimpleUnit, std::less<>>& units_by_name() {
  static const std::map<std::string, SimpleUnit, std::less<>> units = every_unit();
  return units;
}

// ---- reading

struct UnitFactor {
  const SimpleUnit* unit = nullptr;
  Rational exponent;
};

/// product = power { ("*" | "/") power };  power = (name | "1" | "(" product ")") [ "^" exponent ]
class UnitParser {
 public:
  explicit UnitParser(std::string_view text) : text_(text) {}

  std::vector<UnitFactor> parse() {
    std::vector<UnitFactor> factors = product(0);
    if (at_ != text_.size()) fail(at_, 1, fmt::format("'{}' is not expected", rest()), form);
    return factors;
  }

 private:
  static constexpr const char* form = "units are written  kg*m^2/s,  N*m/rad,  1/(mol*K)";

  [[noreturn]] static void fail(std::size_t at, std::size_t length, std::string message,
                                std::string help) {
    throw UnitFault{at, length, std::move(message), std::move(help)};
  }
  std::string rest() const { return std::string(text_.substr(at_)); }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool accept(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    skip_blanks();
    return true;
  }

  std::vector<UnitFactor> product(int depth) {
    std::vector<UnitFactor> factors = power(depth);
    for (;;) {
      const bool divides = accept('/');
      if (!divides && !accept('*')) return factors;
      for (UnitFactor factor : power(depth)) {
        if (divides) factor.exponent = Rational(-1) * factor.exponent;
        factors.push_back(factor);
      }
    }
  }

  std::vector<UnitFactor> power(int depth) {
    constexpr int deepest = 20;
    std::vector<UnitFactor> factors;
    if (accept('(')) {
      if (depth == deepest) fail(at_, 1, "the unit is nested too deep", form);
      factors = product(depth + 1);
      if (!accept(')')) fail(at_, 1, "the unit has a '(' without its ')'", form);
    } else {
      factors.push_back({simple(), 1});
    }
    if (!accept('^')) return factors;
    const Rational by = exponent();
    for (UnitFactor& factor : factors) factor.exponent = factor.exponent * by;
    return factors;
  }

  const SimpleUnit* simple() {
    skip_blanks();
    const std::size_t from = at_;
    if (at_ < text_.size() && (text_[at_] == '1' || text_[at_] == '%')) {
      ++at_;
    } else {
      while (at_ < text_.size() &&
             (std::isalpha(static_cast<unsigned char>(text_[at_])) != 0 ||
              static_cast<unsigned char>(text_[at_]) >= 0x80 || text_[at_] == '_'))
        ++at_;
    }
    const std::string_view name = text_.substr(from, at_ - from);
    if (name.empty())
      fail(from, 1,
           from == text_.size() ? "the unit ends too early"
                                : fmt::format("'{}' is no unit", text_.substr(from)),
           form);
    const auto found = units_by_name().find(name);
    if (found == units_by_name().end())
      fail(from, name.size(), fmt::format("there is no unit '{}'", name), proposal(name));
    return &found->second;
  }

  /// What was probably meant: "Nm" is N*m.
  static std::string proposal(std::string_view name) {
    const auto& units = units_by_name();
    static const std::map<std::string, const char*, std::less<>> others{
        {"sec", "s"},      {"second", "s"},   {"seconds", "s"},   {"hour", "h"},
        {"minute", "min"}, {"meter", "m"},    {"metre", "m"},     {"meters", "m"},
        {"metres", "m"},   {"gram", "g"},     {"degree", "deg"},  {"degrees", "deg"},
        {"\u00b0", "deg"}, {"radian", "rad"}, {"radians", "rad"}, {"newton", "N"},
        {"Newton", "N"},   {"watt", "W"},     {"joule", "J"},     {"ton", "t"},
        {"tonne", "t"},    {"rps", "rev/s"},  {"\u03a9", "ohm"},  {"Ohm", "ohm"},
        {"degC", "K"},     {"litre", "L"},    {"liter", "L"},     {"hz", "Hz"},
        {"pa", "Pa"}};
    if (const auto other = others.find(name); other != others.end())
      return fmt::format("did you mean '{}'?", other->second);
    for (std::size_t cut = 1; cut < name.size(); ++cut)
      if (units.contains(name.substr(0, cut)) && units.contains(name.substr(cut)))
        return fmt::format("a product has its '*': {}*{}", name.substr(0, cut), name.substr(cut));
    std::vector<std::string> names;
    for (const auto& [known, unit] : units) names.push_back(known);
    const std::string near = nearest_name(name, names);
    return near.empty() ? "docs/language/units.md lists the units there are"
                        : fmt::format("did you mean '{}'?", near);
  }

  Rational exponent() {
    if (!accept('(')) return whole();
    const Rational above = whole();
    const Rational below = accept('/') ? whole() : Rational(1);
    if (below.is_zero()) fail(at_, 1, "an exponent is divided by zero", form);
    if (!accept(')')) fail(at_, 1, "the unit has a '(' without its ')'", form);
    return above / below;
  }

  Rational whole() {
    constexpr std::int64_t largest = 99;
    const std::size_t from = at_;
    const bool negative = accept('-');
    std::int64_t value = 0;
    const std::size_t digits = at_;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 &&
           value <= largest)
      value = 10 * value + (text_[at_++] - '0');
    if (at_ == digits || value > largest)
      fail(from, 1, "an exponent is a whole number, or a fraction in brackets",
           "write  m^2,  s^-1  or  Hz^(1/2)");
    return negative ? -value : value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Multiplies `product` by "rad s^-1" to the power of `exponent`.
void append_si(Product& product, std::string_view si, Rational exponent) {
  while (!si.empty()) {
    const std::size_t end = std::min(si.find(' '), si.size());
    const std::string_view factor = si.substr(0, end);
    const std::size_t hat = factor.find('^');
    const bool plain = hat == std::string_view::npos;
    const int own = plain ? 1 : std::stoi(std::string(factor.substr(hat + 1)));
    product.times(std::string(factor.substr(0, hat)), exponent * Rational(own));
    si.remove_prefix(std::min(end + 1, si.size()));
  }
}

std::optional<std::vector<UnitFactor>> read_factors(std::string_view text, UnitFault* fault) {
  try {
    return UnitParser(text).parse();
  } catch (UnitFault& found) {
    if (fault != nullptr) *fault = std::move(found);
    return std::nullopt;
  }
}

Product si_product(const std::vector<UnitFactor>& factors) {
  Product product;
  for (const UnitFactor& factor : factors) append_si(product, factor.unit->si, factor.exponent);
  return product;
}

}  // namespace

std::optional<Unit> parse_unit(std::string_view text, UnitFault* fault) {
  const auto factors = read_factors(text, fault);
  if (!factors) return std::nullopt;
  Unit unit;
  for (const auto& [factor, exponent] : *factors) {
    unit.dimension = unit.dimension * factor->dimension.to_the(exponent);
    const double size = std::abs(exponent.value());
    const double above = std::pow(factor->numerator, size);
    const double below = std::pow(factor->denominator, size);
    unit.numerator *= exponent.numerator() < 0 ? below : above;
    unit.denominator *= exponent.numerator() < 0 ? above : below;
  }
  unit.si = si_product(*factors).text();
  return unit;
}

std::string derivative_unit(const std::string& unit, int order) {
  if (order == 0 || unit.empty()) return unit;
  const auto factors = read_factors(unit, nullptr);
  if (!factors) return {};
  Product product = si_product(*factors);
  product.times("s", Rational(-order));
  return product.text();
}

std::string conjugate_unit(const std::string& unit) {
  if (unit.empty()) return {};
  const std::optional<Unit> known = parse_unit(unit);
  return known ? force_unit_text(dimensions::energy / known->dimension) : std::string();
}

}  // namespace daedal::model
