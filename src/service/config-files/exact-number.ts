// Whether a number of a file keeps its value when the service reads it and writes it again. A number of JavaScript has about 16
// decimal digits and ends at 1.8e308; what goes beyond would change without notice.
import { trimEndOf } from '../../lib/clean-text.ts';

/** Takes the text of a number of JSON or of YAML 1.2; `.inf` and `.nan` are never exact. */
export function isExactNumber(text: string): boolean {
  const value = Number(text);
  if (/^0[xo]/.test(text)) return BigInt(text) === BigInt(value);
  return Number.isFinite(value) && decimalOf(text) === decimalOf(String(value));
}

/** The sign, the digits without zeros at their ends, and the power of ten: the same for 1.50, 15e-1 and 1.5. */
function decimalOf(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([-+]?)([0-9]*)\.?([0-9]*)(?:[eE]([-+]?[0-9]+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = trimEndOf(digits, '0');
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign === '-' ? '-' : ''}${significant === '' ? '0' : `${significant}e${power}`}`;
}
