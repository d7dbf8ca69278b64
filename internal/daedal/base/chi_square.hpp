// Quantiles of the chi-square distribution: what squared normalised errors are compared with.
#pragma once

namespace daedal::base {

/// The share of the distribution with `degrees` of freedom, > 0, that lies below x >= 0: the regularised incomplete gamma function
/// P(degrees/2, x/2) [AbramowitzStegun1964, 26.4.19].
double chi_square_below(double degrees, double x);
/// x with this share below it, in (0, 1).
double chi_square_quantile(double degrees, double share);

}  // namespace daedal::base
