// Taylor coefficients of the rest-to-rest polynomial, for jets.
#pragma once

namespace daedal::expr {

/// out[n] = derivative `derivative` + n at s, over n!, for n < count. The coefficients of a polynomial of smoothness 200 are
/// below 1e130 where its derivatives are beyond 1e500.
void rest_to_rest_coefficients(double s, int smoothness, int derivative, int count, double* out);

}  // namespace daedal::expr
