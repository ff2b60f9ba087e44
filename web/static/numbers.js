// Numbers as people read them.

/**
 * A number in at most `width` characters: in full, as a power of two, or as digits and the number
 * of zeros to add: 123456789 in 5 is 123e6.
 * @param {string} text
 * @param {number} width
 */
export function fit(text, width) {
  if (text.length <= width) {
    return text;
  }
  const sign = text.startsWith('-') ? '-' : '';
  const digits = text.slice(sign.length);
  if (!/^\d+$/.test(digits)) {
    return `${text.slice(0, Math.max(1, width - 1))}…`;
  }
  if (sign === '') {
    const value = BigInt(digits);
    const power = value.toString(2).length - 1;
    const short = `^${power}`;
    if (value === 1n << BigInt(power) && short.length <= width) {
      return short;
    }
  }
  for (let kept = Math.min(digits.length - 1, width); kept > 0; kept -= 1) {
    const short = `${sign}${digits.slice(0, kept)}e${digits.length - kept}`;
    if (short.length <= width) {
      return short;
    }
  }
  return '#'.repeat(width);
}

/** A whole number with thin spaces. @param {number} number */
export const whole = (number) => number.toLocaleString('en').replaceAll(',', '\u202f');

/** A number with a prefix of its unit. @param {number} number */
export function scaled(number) {
  const [divisor, letter] = [/** @type {const} */ ([1e9, ' G']), /** @type {const} */ ([1e6, ' M']), /** @type {const} */ ([1e3, ' k'])].find(([least]) => number >= least) ?? [1, ''];
  return (number / divisor).toPrecision(3).replace(/e\+.*/, '') + letter;
}

/** @param {number} seconds */
export function duration(seconds) {
  const all = Math.round(seconds);
  if (all < 60) {
    return `${all} s`;
  }
  const minutes = Math.floor(all / 60);
  return minutes < 60 ? `${minutes} min ${all % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A percentage whose interval ends at `hi`. @param {number} number @param {number | null} hi */
export const percent = (number, hi) => number.toFixed(hi !== null && hi < 1 ? 4 : 2);
