#include "c_elementary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <string_view>
#include <vector>

namespace daedal::emit {

namespace {

using expr::Op;

// ---- sums of two numbers: a high part and what it lacks

constexpr std::string_view pairs_text = R"(
/* Elementary functions with the coefficients and the order of operations of SLEEF 3.5.1 (N. Shibata, F. Petrogalli, IEEE
 * Transactions on Parallel and Distributed Systems 31, 2020): the bits do not depend on the machine. */

typedef struct {
  double high, low; /* a number is their sum */
} pair;

static pair pair_of(double high, double low) {
  pair p;
  p.high = high;
  p.low = low;
  return p;
}

/* x + y for |x| >= |y| */
static pair ordered_sum(double x, double y) {
  const double sum = x + y;
  return pair_of(sum, x - sum + y);
}

static pair product(double x, double y) {
  const double high = x*y;
  return pair_of(high, fma(x, y, -high));
}

static pair scaled(pair x, double factor) { return pair_of(factor*x.high, factor*x.low); }

static pair times(pair x, double y) {
  const double high = x.high*y;
  return pair_of(high, fma(x.low, y, fma(x.high, y, -high)));
}

static pair times_pair(pair x, pair y) {
  const double high = x.high*y.high;
  return pair_of(high, fma(x.high, y.low, fma(x.low, y.high, fma(x.high, y.high, -high))));
}

static pair square(pair x) {
  const double high = x.high*x.high;
  return pair_of(high, fma(x.high + x.high, x.low, fma(x.high, x.high, -high)));
}

/* what the rounded sum of x and y lacks, whichever is larger */
static double lost(double x, double y, double sum) {
  const double y_seen = sum - x;
  return (x - (sum - y_seen)) + (y - y_seen);
}

static pair plus(pair x, double y) {
  const double sum = x.high + y;
  return pair_of(sum, lost(x.high, y, sum) + x.low);
}

static pair plus_pair(pair x, pair y) {
  const double sum = x.high + y.high;
  return pair_of(sum, lost(x.high, y.high, sum) + (x.low + y.low));
}

/* sums whose first term is the larger one */
static pair ordered_plus(pair x, double y) {
  const double sum = x.high + y;
  return pair_of(sum, x.high - sum + y + x.low);
}

static pair ordered_pair_sum(pair x, pair y) {
  const double sum = x.high + y.high;
  return pair_of(sum, x.high - sum + y.high + x.low + y.low);
}

static pair ordered_sum_to(double x, pair y) {
  const double sum = x + y.high;
  return pair_of(sum, x - sum + y.high + y.low);
}

static pair ordered_difference(pair x, pair y) {
  const double difference = x.high - y.high;
  return pair_of(difference, x.high - difference - y.high + x.low - y.low);
}

static pair quotient(pair x, pair y) {
  const double inverse = 1.0/y.high, high = x.high*inverse;
  const double error = fma(-y.low, inverse, fma(-y.high, inverse, 1.0));
  return pair_of(high, fma(high, error, fma(x.low, inverse, fma(inverse, x.high, -high))));
}

static double with_sign_of(double x, double sign) { return signbit(sign) ? -x : x; }

/* c[0] + c[1] x + ..., in fours and eights; x2 = x^2, x4 = x^4 */
static double four_terms(double x, double x2, const double* c) {
  return fma(x2, fma(x, c[3], c[2]), fma(x, c[1], c[0]));
}

static double eight_terms(double x, double x2, double x4, const double* c) {
  return fma(x4, four_terms(x, x2, c + 4), four_terms(x, x2, c));
}
)";

constexpr std::string_view powers_text = R"(
static int exponent_of(double x) { /* of a positive number */
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (int)(bits >> 52 & 0x7ff) - 0x3ff;
}

static double power_of_two(int exponent) { /* -1022 ... 1023 */
  const uint64_t bits = (uint64_t)(exponent + 0x3ff) << 52;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* in two factors: the result may be subnormal */
static double times_power_of_two(double x, int exponent) {
  const int half = (exponent - (exponent & 1))/2;
  return x*power_of_two(half)*power_of_two(exponent - half);
}
)";

// ---- angles

constexpr std::string_view angles_text = R"(
/* The number of at most 53 bits, or 52 with an even last bit, next to 2^-320 times the integer in `window`, which becomes the
 * rest; its sign is apart. */
static double taken_from(uint32_t* window, int* negative, int even) {
  double value;
  uint64_t bits = 0;
  int k, top = 319, borrow = 0;
  while (top >= 0 && !(window[top/32] >> top%32 & 1)) --top;
  if (top < 0) return 0.0;
  for (k = 0; k < 53; ++k) {
    const int at = top - k;
    bits = bits << 1 | (at < 0 ? 0u : window[at/32] >> at%32 & 1);
  }
  if (top >= 53 && window[(top - 53)/32] >> (top - 53)%32 & 1) { /* half or more: round, a tie to even */
    int tie = 1;
    for (k = top - 54; k >= 0 && tie; --k) tie = !(window[k/32] >> k%32 & 1);
    if (!tie || (bits & 1)) ++bits;
  }
  if (even) bits &= ~(uint64_t)1;
  for (k = 0; k < 10; ++k) { /* what is left, which may have the other sign */
    const int shift = top - 52 - 32*k; /* of `bits` in this digit */
    uint32_t digit = 0;
    if (shift >= 0 && shift < 32) digit = (uint32_t)(bits << shift);
    if (shift < 0 && shift > -64) digit = (uint32_t)(bits >> -shift);
    {
      const int64_t left = (int64_t)window[k] - (int64_t)digit - borrow;
      borrow = left < 0;
      window[k] = (uint32_t)left;
    }
  }
  value = ldexp(*negative ? -(double)bits : (double)bits, top - 52 - 320);
  if (borrow) {
    uint32_t carry = 1;
    *negative = !*negative;
    for (k = 0; k < 10; ++k) {
      window[k] = ~window[k] + carry;
      carry = carry && window[k] == 0;
    }
  }
  return value;
}

/* 2^scale times the digits of 1/(2 pi) from 2^-(cut + 1) on, as four numbers */
static void inverse_turn(int cut, int scale, double* parts) {
  /* 32 bits each, from 2^-1 on */
  static const uint32_t digits[] = {
      0x28be60db, 0x9391054a, 0x7f09d5f4, 0x7d4d3770, 0x36d8a566, 0x4f10e410, 0x7f9458ea, 0xf7aef158,
      0x6dc91b8e, 0x909374b8, 0x01924bba, 0x82746487, 0x3f877ac7, 0x2c4a69cf, 0xba208d7d, 0x4baed121,
      0x3a671c09, 0xad17df90, 0x4e64758e, 0x60d4ce7d, 0x272117e2, 0xef7e4a0e, 0xc7fe25ff, 0xf7816603,
      0xfbcbc462, 0xd6829b47, 0xdb4d9fb3, 0xc9f2c26d, 0xd3d18fd9, 0xa797fa8b, 0x5d49eeb1, 0xfaf97c5e,
      0xcf41ce7d, 0xe294a4ba, 0x9afed7ec, 0x47e35742, 0x1580cc11, 0xbf1edaea, 0xfc33ef08, 0x26bd0d87,
      0x6a78e458};
  uint32_t window[10];
  int k, negative = 0;
  for (k = 0; k < 10; ++k) {
    const int at = cut + 32*k, word = at/32, shift = at%32;
    window[9 - k] = digits[word] << shift | (shift == 0 ? 0u : digits[word + 1] >> (32 - shift));
  }
  for (k = 0; k < 4; ++k) parts[k] = ldexp(taken_from(window, &negative, k < 3), scale - cut);
}

/* x less the nearest quarter, whose number is added */
static double less_quarters(double x, int* quarters) {
  const double nearest = rint(4.0*x);
  *quarters += (int)(nearest - 4.0*rint(x));
  return x - 0.25*nearest;
}

static pair reduced_huge_angle(double x, int* quarters) {
  int exponent = exponent_of(fabs(x)) - 55;
  double parts[4];
  pair turns;
  const int scale = exponent > 645 ? 64 : 0;
  if (exponent < 0) exponent = 0;
  inverse_turn(exponent + 2, scale, parts);
  x = ldexp(x, -scale); /* nothing overflows */
  *quarters = 0;
  turns = product(x, parts[0]);
  turns.high = less_quarters(turns.high, quarters);
  turns = plus_pair(ordered_sum(turns.high, turns.low), product(x, parts[1]));
  turns.high = less_quarters(turns.high, quarters);
  turns = plus_pair(ordered_sum(turns.high, turns.low), times(pair_of(parts[2], parts[3]), x));
  return times_pair(ordered_sum(turns.high, turns.low),
                    pair_of(2.0*3.141592653589793116, 2.0*1.2246467991473532072e-16));
}

/* x - (many + few) pi/2, with pi/2 in four parts */
static pair without_quarters(double x, double many, double few) {
  static const double part[] = {-3.1415926218032836914/2.0, -3.1786509424591713469e-08/2.0,
                                -1.2246467864107188502e-16/2.0, -1.2736634327021899816e-24/2.0};
  pair left = ordered_sum(fma(many, part[0], x), few*part[0]);
  left = plus(plus(left, many*part[1]), few*part[1]);
  left = plus(plus(left, many*part[2]), few*part[2]);
  return ordered_plus(left, (many + few)*part[3]);
}

/* x less the nearest multiple of pi/2; `by_truncation`: as the tangent finds it */
static pair reduced_angle(double x, int by_truncation, int* quarters) {
  const double per_quarter = 0.63661977236758138243;
  if (fabs(x) < 15.0) {
    const double count = rint(x*per_quarter);
    *quarters = (int)count;
    return ordered_sum(fma(count, -3.141592653589793116/2.0, x),
                       count*(-1.2246467991473532072e-16/2.0));
  }
  if (fabs(x) < 1e14) {
    const double many = trunc(x*(per_quarter/16777216.0))*16777216.0;
    double few;
    if (by_truncation) {
      const pair count = plus(times(pair_of(per_quarter, -3.9357353350364971764e-17), x),
                              (x < 0.0 ? -0.5 : 0.5) - many);
      few = trunc(count.high + count.low);
    } else {
      few = rint(x*per_quarter - many);
    }
    *quarters = (int)few;
    return without_quarters(x, many, few);
  }
  return reduced_huge_angle(x, quarters);
}
)";

constexpr std::string_view sincos_text = R"(
static void sine_and_cosine(double x, double* sine, double* cosine) {
  static const double s[] = {-0.166666666666666130709393,   0.0083333333333191845961746,
                             -0.000198412698278911770864914, 2.75573131776846360512547e-06,
                             -2.50506943502539773349318e-08, 1.58938307283228937328511e-10};
  static const double c[] = {-0.5,
                             0.0416666666666665519592062,
                             -0.00138888888888714019282329,
                             2.48015872890001867311915e-05,
                             -2.75573144028847567498567e-07,
                             2.08757471207040055479366e-09,
                             -1.13615350239097429531523e-11};
  int quarters, k;
  pair angle, of_cosine;
  double z, odd = s[5], even = c[6], swapped;
  if (!isfinite(x)) {
    *sine = *cosine = x - x;
    return;
  }
  angle = reduced_angle(x, 0, &quarters);
  z = angle.high*angle.low;
  z = fma(angle.high, angle.high, z + z);
  for (k = 4; k >= 0; --k) odd = fma(odd, z, s[k]);
  for (k = 5; k >= 0; --k) even = fma(even, z, c[k]);
  angle = ordered_plus(angle, odd*(z*angle.high));
  of_cosine = ordered_sum_to(1.0, product(z, even));
  *sine = x == 0.0 ? x : angle.high + angle.low;
  *cosine = of_cosine.high + of_cosine.low;
  if (quarters & 1) {
    swapped = *sine;
    *sine = *cosine;
    *cosine = swapped;
  }
  if (quarters & 2) *sine = -*sine;
  if ((quarters + 1) & 2) *cosine = -*cosine;
}
)";

constexpr std::string_view sin_text = R"(
static double common_sin(double x) {
  double sine, cosine;
  sine_and_cosine(x, &sine, &cosine);
  return sine;
}
)";

constexpr std::string_view cos_text = R"(
static double common_cos(double x) {
  double sine, cosine;
  sine_and_cosine(x, &sine, &cosine);
  return cosine;
}
)";

constexpr std::string_view tan_text = R"(
static double common_tan(double x) {
  static const double c[] = {0.1333333333330500581e+0, 0.5396825399517272970e-1,
                             0.2186948728185535498e-1, 0.8863268409563113126e-2,
                             0.3591611540792499519e-2, 0.1460781502402784494e-2,
                             0.5619219738114323735e-3, 0.3245098826639276316e-3};
  int quarters;
  pair half, z, y;
  double z2, sum;
  if (!isfinite(x)) return x - x;
  if (x == 0.0) return x;
  half = scaled(reduced_angle(x, 1, &quarters), 0.5);
  z = square(half);
  z2 = z.high*z.high;
  sum = fma(eight_terms(z.high, z2, z2*z2, c), z.high, 0.3333333333333343695e+0);
  half = ordered_pair_sum(half, times(times_pair(z, half), sum)); /* tan(x/2) */
  y = ordered_sum_to(-1.0, square(half));
  half = scaled(half, -2.0);
  y = quarters & 1 ? quotient(scaled(y, -1.0), half) : quotient(half, y);
  return y.high + y.low;
}
)";

constexpr std::string_view arcs_text = R"(
/* the angle of (x, y), y >= 0 */
static pair arc(double y, double x) {
  static const double c[] = {-0.0909090442773387574781907, 0.0769225330296203768654095,
                             -0.0666620884778795497194182, 0.0587946590969581003860434,
                             -0.0524914210588448421068719, 0.0470843011653283988193763,
                             -0.041848579703592507506027,  0.0359785005035104590853656,
                             -0.0289002344784740315686289, 0.0208024799924145797902497,
                             -0.0128281333663399031014274, 0.00646262899036991172313504,
                             -0.00251865614498713360352999, 0.00070557664296393412389774,
                             -0.000125620649967286867384336, 1.06298484191448746607415e-05};
  int quarters = signbit(x) ? -2 : 0;
  const pair across = x < 0.0 ? pair_of(-x, -0.0) : pair_of(x, 0.0), up = pair_of(y, 0.0);
  pair ratio, z;
  double z2, z4, sum;
  if (across.high < y) ++quarters;
  ratio = across.high < y ? quotient(scaled(across, -1.0), up) : quotient(up, across);
  z = square(ratio);
  z = ordered_sum(z.high, z.low);
  z2 = z.high*z.high;
  z4 = z2*z2;
  sum = fma(z4*z4, eight_terms(z.high, z2, z4, c + 8), eight_terms(z.high, z2, z4, c));
  sum = fma(sum, z.high, 0.111111108376896236538123);
  sum = fma(sum, z.high, -0.142857142756268568062339);
  sum = fma(sum, z.high, 0.199999999997977351284817);
  sum = fma(sum, z.high, -0.333333333333317605173818);
  return ordered_pair_sum(
      times(pair_of(1.570796326794896557998982, 6.12323399573676603586882e-17), quarters),
      ordered_pair_sum(ratio, times(times_pair(ratio, z), sum)));
}
)";

constexpr std::string_view atan_text = R"(
static double common_atan(double x) {
  const pair angle = arc(fabs(x), 1.0);
  return with_sign_of(isinf(x) ? 1.570796326794896557998982 : angle.high + angle.low, x);
}
)";

constexpr std::string_view atan2_text = R"(
static double common_atan2(double y, double x) {
  const double quarter = 1.570796326794896557998982;
  double angle;
  if (x != x || y != y) return x + y;
  if (fabs(x) < 5.5626846462680083984e-309) { /* whose inverse overflows */
    x *= 9007199254740992.0;
    y *= 9007199254740992.0;
  }
  if (y == 0.0) {
    angle = signbit(x) ? 2.0*quarter : 0.0;
  } else if (isinf(y)) {
    angle = isinf(x) ? quarter - with_sign_of(0.5*quarter, x) : quarter;
  } else if (isinf(x)) {
    angle = quarter - with_sign_of(quarter, x);
  } else if (x == 0.0) {
    angle = quarter;
  } else {
    const pair found = arc(fabs(y), x);
    angle = with_sign_of(found.high + found.low, x);
  }
  return with_sign_of(angle, y);
}
)";

constexpr std::string_view arcsines_text = R"(
/* *x: |argument|, or from 1/2 on sin(acos(|argument|)/2); returns asin(*x) - *x */
static double beyond_sine(double argument, pair* x) {
  static const double c[] = {0.1666666666666497543e+0,  0.7500000000378581611e-1,
                             0.4464285681377102438e-1,  0.3038195928038132237e-1,
                             0.2237176181932048341e-1,  0.1735956991223614604e-1,
                             0.1388715184501609218e-1,  0.1215360525577377331e-1,
                             0.6606077476277170610e-2,  0.1929045477267910674e-1,
                             -0.1581918243329996643e-1, 0.3161587650653934628e-1};
  const double size = fabs(argument);
  const double z = size < 0.5 ? argument*argument : (1.0 - size)*0.5;
  const double z2 = z*z, z4 = z2*z2;
  const double sum = fma(z4*z4, four_terms(z, z2, c + 8), eight_terms(z, z2, z4, c));
  if (size < 0.5) {
    *x = pair_of(size, 0.0);
  } else if (size == 1.0) {
    *x = pair_of(0.0, 0.0);
  } else {
    const double root = sqrt(z), inverse = 1.0/root;
    const pair squared = product(root, root);
    const double twice = z + squared.high;
    *x = scaled(times_pair(pair_of(twice, lost(z, squared.high, twice) + squared.low),
                           pair_of(inverse, inverse*fma(-root, inverse, 1.0))),
                0.5);
  }
  return sum*(z*x->high);
}
)";

constexpr std::string_view asin_text = R"(
static double common_asin(double argument) {
  pair x, y;
  const double more = beyond_sine(argument, &x);
  if (fabs(argument) < 0.5) return with_sign_of(more + x.high, argument);
  y = ordered_difference(pair_of(3.141592653589793116/4.0, 1.2246467991473532072e-16/4.0), x);
  x = pair_of(y.high - more, 0.0);
  x.low = y.high - x.high - more + y.low;
  return with_sign_of(2.0*(x.high + x.low), argument);
}
)";

constexpr std::string_view acos_text = R"(
static double common_acos(double argument) {
  pair x, angle;
  const double more = beyond_sine(argument, &x);
  if (fabs(argument) < 0.5) {
    angle = ordered_difference(
        pair_of(3.141592653589793116/2.0, 1.2246467991473532072e-16/2.0),
        ordered_sum(with_sign_of(x.high, argument), with_sign_of(more, argument)));
  } else {
    angle = scaled(ordered_plus(x, more), 2.0);
    if (argument < 0.0)
      angle = ordered_difference(pair_of(3.141592653589793116, 1.2246467991473532072e-16), angle);
  }
  return angle.high + angle.low;
}
)";

// ---- exponentials and logarithms

constexpr std::string_view exp_text = R"(
static double common_exp(double x) {
  static const double c[] = {0.1666666666666669072e+0, 0.4166666666666602598e-1,
                             0.8333333333314938210e-2, 0.1388888888914497797e-2,
                             0.1984126989855865850e-3, 0.2480158687479686264e-4,
                             0.2755723402025388239e-5, 0.2755762628169491192e-6,
                             0.2511210703042288022e-7, 0.2081276378237164457e-8};
  double count, z, z2, z4, sum;
  if (x != x) return x;
  if (x > 709.78271114955742909217217426) return HUGE_VAL;
  if (x < -1000.0) return 0.0;
  count = rint(x*1.442695040888963407359924681001892137);
  z = fma(count, -.69314718055966295651160180568695068359375, x);
  z = fma(count, -.28235290563031577122588448175013436025525412068e-12, z);
  z2 = z*z;
  z4 = z2*z2;
  sum = fma(z4*z4, fma(z, c[9], c[8]), eight_terms(z, z2, z4, c));
  sum = fma(fma(fma(sum, z, 0.5), z, 1.0), z, 1.0);
  return times_power_of_two(sum, (int)count);
}
)";

constexpr std::string_view logarithms_text = R"(
/* x = m 2^e with 3/4 <= m < 3/2, for x > 0; returns (m - 1)/(m + 1) */
static pair mantissa_ratio(double x, int* exponent) {
  const int subnormal = x < 2.2250738585072014e-308;
  double m, less, more;
  if (subnormal) x *= 18446744073709551616.0;
  *exponent = exponent_of(x*(1.0/0.75));
  m = ldexp(x, -*exponent);
  if (subnormal) *exponent -= 64;
  less = -1.0 + m;
  more = 1.0 + m;
  return quotient(pair_of(less, lost(-1.0, m, less)), pair_of(more, lost(1.0, m, more)));
}

static pair times_log_of_two(int exponent) {
  return times(pair_of(0.693147180559945286226764, 2.319046813846299558417771e-17), exponent);
}
)";

constexpr std::string_view log_text = R"(
static double common_log(double x) {
  static const double c[] = {0.6666666666667333541e+0, 0.3999999999635251990e+0,
                             0.2857142932794299317e+0, 0.2222214519839380009e+0,
                             0.1818605932937785996e+0, 0.1525629051003428716e+0,
                             0.1532076988502701353e+0};
  int exponent;
  pair ratio, sum;
  double z, z2, series;
  if (x != x || x < 0.0) return sqrt(-1.0);
  if (x == 0.0) return -HUGE_VAL;
  if (isinf(x)) return x;
  ratio = mantissa_ratio(x, &exponent);
  z = ratio.high*ratio.high;
  z2 = z*z;
  series = fma(z2*z2, fma(z2, c[6], fma(z, c[5], c[4])), four_terms(z, z2, c));
  sum = ordered_pair_sum(times_log_of_two(exponent), scaled(ratio, 2.0));
  sum = ordered_plus(sum, z*ratio.high*series);
  return sum.high + sum.low;
}
)";

constexpr std::string_view pow_text = R"(
static pair precise_log(double x) {
  static const double c[] = {0.400000000000000077715612, 0.285714285714249172087875,
                             0.222222222230083560345903, 0.181818180850050775676507,
                             0.153846227114512262845736, 0.13332981086846273921509,
                             0.117754809412463995466069, 0.103239680901072952701192,
                             0.116255524079935043668677};
  int exponent;
  pair ratio = mantissa_ratio(x, &exponent), sum;
  const pair z = square(ratio);
  const double z2 = z.high*z.high, z4 = z2*z2;
  const double series = fma(z4*z4, c[8], eight_terms(z.high, z2, z4, c));
  sum = ordered_pair_sum(times_log_of_two(exponent), scaled(ratio, 2.0));
  ratio = times_pair(z, ratio);
  sum = ordered_pair_sum(
      sum, times_pair(ratio, pair_of(0.666666666666666629659233, 3.80554962542412056336616e-17)));
  return ordered_pair_sum(sum, times(times_pair(z, ratio), series));
}

static double precise_exp(pair x) {
  static const double c[] = {0.500000000000000999200722,    0.166666666666666740681535,
                             0.0416666666665409524128449,   0.00833333333332371417601081,
                             0.0013888888939977128960529,   0.000198412698809069797676111,
                             2.48014973989819794114153e-05, 2.75572496725023574143864e-06,
                             2.76286166770270649116855e-07, 2.51069683420950419527139e-08};
  double count, z2, z4, series;
  pair z, sum;
  if (x.high > 709.78271114955742909217217426) return HUGE_VAL;
  if (x.high < -1000.0) return 0.0;
  count = rint((x.high + x.low)*1.442695040888963407359924681001892137);
  z = plus(x, count*-.69314718055966295651160180568695068359375);
  z = plus(z, count*-.28235290563031577122588448175013436025525412068e-12);
  z = ordered_sum(z.high, z.low);
  z2 = z.high*z.high;
  z4 = z2*z2;
  series = fma(z4*z4, fma(z.high, c[9], c[8]), eight_terms(z.high, z2, z4, c));
  sum = ordered_pair_sum(ordered_sum_to(1.0, z), times(square(z), series));
  return times_power_of_two(sum.high + sum.low, (int)count);
}

static double common_pow(double x, double y) {
  const int whole = trunc(y) == y, odd = whole && trunc(0.5*y) != 0.5*y;
  if (y == 0.0 || x == 1.0) return 1.0;
  if (x != x || y != y) return x + y;
  if (x == 0.0 || isinf(x))
    return (odd ? with_sign_of(1.0, x) : 1.0)*((x == 0.0 ? -y : y) < 0.0 ? 0.0 : HUGE_VAL);
  if (isinf(y)) {
    const double growth = with_sign_of(fabs(x) - 1.0, y);
    return growth < 0.0 ? 0.0 : growth == 0.0 ? 1.0 : HUGE_VAL;
  }
  if (x < 0.0 && !whole) return sqrt(-1.0);
  return precise_exp(times(precise_log(fabs(x)), y))*(x < 0.0 && odd ? -1.0 : 1.0);
}
)";

constexpr std::string_view hyperbolic_text = R"(
/* e^x for 0 <= x <= 710 */
static pair growth(double x) {
  static const double c[] = {0.4166666666666669905e-1, 0.8333333333333347095e-2,
                             0.1388888888886763255e-2, 0.1984126984148071858e-3,
                             0.2480158735605815065e-4, 0.2755731892386044373e-5,
                             0.2755724800902135303e-6, 0.2505230023782644465e-7,
                             0.2092255183563157007e-8, 0.1602472219709932072e-9};
  const double count = rint(x*1.442695040888963407359924681001892137);
  const pair first = plus(pair_of(x, 0.0), count*-.69314718055966295651160180568695068359375);
  const pair z = plus(first, count*-.28235290563031577122588448175013436025525412068e-12);
  const pair z2 = square(z), z4 = square(z2);
  const double series = fma(z4.high*z4.high, fma(z.high, c[9], c[8]),
                            eight_terms(z.high, z2.high, z4.high, c));
  pair sum = ordered_sum_to(0.5, times(z, 0.1666666666666666574e+0));
  sum = ordered_sum_to(1.0, times_pair(sum, z));
  sum = ordered_sum_to(1.0, times_pair(sum, z));
  sum = ordered_pair_sum(sum, times(z4, series));
  return pair_of(times_power_of_two(sum.high, (int)count), times_power_of_two(sum.low, (int)count));
}

static pair inverse_of(pair x) {
  const double high = 1.0/x.high;
  return pair_of(high, high*fma(-x.low, high, fma(-x.high, high, 1.0)));
}
)";

constexpr std::string_view sinh_text = R"(
static double common_sinh(double x) {
  pair e;
  double size;
  if (x != x) return x;
  if (fabs(x) > 710.0) return with_sign_of(HUGE_VAL, x);
  e = growth(fabs(x));
  e = ordered_difference(e, inverse_of(e));
  size = 0.5*(e.high + e.low);
  return with_sign_of(size != size ? HUGE_VAL : size, x);
}
)";

constexpr std::string_view cosh_text = R"(
static double common_cosh(double x) {
  pair e;
  double size;
  if (x != x) return x;
  if (fabs(x) > 710.0) return HUGE_VAL;
  e = growth(fabs(x));
  e = ordered_pair_sum(e, inverse_of(e));
  size = 0.5*(e.high + e.low);
  return size != size ? HUGE_VAL : size;
}
)";

constexpr std::string_view tanh_text = R"(
static double common_tanh(double x) {
  pair up, down;
  if (x != x) return x;
  if (fabs(x) > 18.714973875) return with_sign_of(1.0, x);
  up = growth(fabs(x));
  down = inverse_of(up);
  up = quotient(plus_pair(up, scaled(down, -1.0)), plus_pair(up, down));
  return with_sign_of(up.high + up.low, x);
}
)";

constexpr std::string_view all_texts[] = {
    pairs_text,      powers_text, angles_text, sincos_text,     sin_text,  cos_text,  tan_text,
    arcs_text,       atan_text,   atan2_text,  arcsines_text,   asin_text, acos_text, exp_text,
    logarithms_text, log_text,    pow_text,    hyperbolic_text, sinh_text, cosh_text, tanh_text};

/// A function, or the type that all of them know.
struct Definition {
  std::string name, text;
};

/// "static double four_terms(" defines four_terms; the text before the first function is the type.
std::string name_defined(const std::string& text) {
  static const std::regex pattern(R"((?:^|\n)static [a-z]+ ([a-z0-9_]+)\()");
  std::smatch found;
  return std::regex_search(text, found, pattern) ? found[1].str() : "";
}

/// Blank lines separate them, and occur nowhere else.
std::vector<Definition> definitions() {
  std::vector<Definition> found;
  for (const std::string_view texts : all_texts)
    for (std::size_t begin = 0; begin < texts.size();) {
      const std::size_t end = std::min(texts.find("\n\n", begin), texts.size() - 1) + 1;
      const std::string text(texts.substr(begin, end - begin));
      found.push_back({name_defined(text), text});
      begin = end;
    }
  return found;
}

bool calls(const std::string& text, const std::string& name) {
  return std::regex_search(text, std::regex("\\b" + name + "\\("));
}

}  // namespace

std::string c_elementary_name(Op op) {
  const std::string_view call = expr::facts(op).c;  // "pow({0}, {1})"
  return fmt::format("common_{}", call.substr(0, call.find('(')));
}

std::string c_elementary(const std::set<Op>& operations, bool pairs) {
  if (operations.empty() && !pairs) return {};
  std::set<std::string> needed;
  if (pairs) needed.insert("sine_and_cosine");
  for (const Op op : operations) needed.insert(c_elementary_name(op));
  const std::vector<Definition> all = definitions();
  std::string text;
  for (std::size_t k = all.size(); k-- > 0;) {  // callers come after what they call
    const Definition& definition = all[k];
    if (!definition.name.empty() && !needed.contains(definition.name)) continue;
    text.insert(0, definition.text);
    for (std::size_t before = 0; before < k; ++before)
      if (!all[before].name.empty() && calls(definition.text, all[before].name))
        needed.insert(all[before].name);
  }
  return text;
}

}  // namespace daedal::emit
