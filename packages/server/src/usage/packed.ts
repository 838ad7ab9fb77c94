/**
 * Amounts in two bytes each: whole numbers up to 4095 as they are, larger ones as a mantissa of twelve bits and a power
 * of two, which is at most a four-thousandth off; fractions are rounded first. The two last codes stand for what has no amount.
 */
const small = 4096
const half = small / 2
/** The largest amount, about two million million. */
const largest = (small - 1) * 2 ** 29

/** Nobody could tell the amount. */
const unknown = 0xffff
/** Nothing was measured. */
export const absent = 0xfffe

/** The code of an amount, rounded to a whole number; null is unknown. */
export function pack(amount: number | null): number {
  if (amount === null) return unknown
  const whole = Math.round(Math.min(largest, Math.max(0, amount)))
  if (whole < small) return whole
  const power = Math.floor(Math.log2(whole)) - 11
  const mantissa = Math.round(whole / 2 ** power)
  // Rounding up may have made it one bit longer: the next code is that of the next power.
  return Math.min(absent - 1, small + (power - 1) * half + (mantissa - half))
}

/** The amount of a code that is not `absent`; null when it is unknown. */
export function unpack(code: number): number | null {
  if (code === unknown) return null
  if (code < small) return code
  const rest = code - small
  return (half + (rest % half)) * 2 ** (1 + Math.floor(rest / half))
}
