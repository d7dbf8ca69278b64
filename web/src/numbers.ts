// Numbers for people.

const superscripts: Record<string, string> = {
  "-": "⁻", "0": "⁰", "1": "¹", "2": "²", "3": "³", "4": "⁴", "5": "⁵", "6": "⁶", "7": "⁷", "8": "⁸", "9": "⁹",
};

/// 0.001234 -> "0.001234", 1.2e-7 -> "1.2e-7": six digits at most.
export function short(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2).replace("e+", "e");
  return String(Number(value.toPrecision(6)));
}

/// 1e-7 -> "10⁻⁷", for axes.
export function power(value: number): string {
  const exponent = Math.round(Math.log10(value));
  return "10" + String(exponent).replace(/./g, (c) => superscripts[c]);
}

/// 1, 2 or 5 times a power of ten, about a `count`-th of the range.
export function niceStep(range: number, count: number): number {
  const raw = range / count;
  const unit = 10 ** Math.floor(Math.log10(raw));
  return unit * ([1, 2, 5].find((m) => m * unit >= raw * 0.999) ?? 10);
}

/// Parts or multiples of a right angle, where an axis shows degrees.
export function degreeStep(range: number, count: number): number {
  const fits = [5, 10, 15, 30, 45, 90, 180, 360, 720].find((step) => range / step <= count);
  return range > 10 && fits ? fits : niceStep(range, count);
}
