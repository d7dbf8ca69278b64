// Numbers as people write them: 1/12 and 3/4 stay fractions where that is exact.
#pragma once

namespace daedal::emit {

/// numerator/denominator, the denominator a whole number above 0; 0.1 is {0.1, 1}.
struct Ratio {
  double numerator = 1, denominator = 1;

  static Ratio of(double value);
  double value() const { return numerator / denominator; }
  bool is_whole() const;  // a fraction of whole numbers
  Ratio operator-() const { return {-numerator, denominator}; }
  friend bool operator==(const Ratio&, const Ratio&) = default;
};
Ratio operator*(Ratio a, Ratio b);
Ratio operator+(Ratio a, Ratio b);
Ratio inverse(Ratio a);
/// The largest ratio of which both are whole multiples, where it can be seen; else 1.
Ratio common(Ratio a, Ratio b);

}  // namespace daedal::emit
