const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** 10 to an integer power, in the usual notation. */
export function powerOfTen(exponent: number): string {
  const digits = Array.from(String(Math.abs(exponent)), (digit) => SUPERSCRIPTS[Number(digit)]);
  return `10${exponent < 0 ? '⁻' : ''}${digits.join('')}`;
}

/** A positive number of any size in about three digits: 1.25, 222, 3,000,000, 6.64 × 10⁹. */
export function compact(value: number): string {
  if (value >= 1e7 || value < 1e-3) {
    const [mantissa, exponent] = value.toExponential(2).split('e');
    return `${mantissa} × ${powerOfTen(Number(exponent))}`;
  }
  return value >= 100 ? wholeNumber(value) : String(Number(value.toPrecision(3)));
}

/** A count with separated thousands. */
export function wholeNumber(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** A count with its noun: 1 player, 3,000,000 players. */
export function counted(count: number, noun: string): string {
  return `${wholeNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** A number with a typographic minus sign. */
export function signed(value: number): string {
  return String(value).replace('-', '−');
}

/** The same with so many digits after the point; never a minus zero, which would show only the effect of rounding. */
export function rounded(value: number, digits: number): string {
  return value
    .toFixed(digits)
    .replace(/^-(0\.?0*)$/, '$1')
    .replace('-', '−');
}
