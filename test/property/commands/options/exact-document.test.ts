// A document arrives with exactly what it says: numbers against exact fractions, and every value that JSON and YAML can hold.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';

import { isExactNumber } from '../../../../src/service/config-files/exact-number.ts';
import { parseDocument } from '../../../../src/service/config-files/read.ts';
import { fuzz } from '../../../support/builders/mutate-json.ts';

/** Numerator and power of ten, as a fraction of integers. */
function fractionOf(text: string): readonly [bigint, bigint] {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const power = Number(exponent) - fraction.length;
  const digits = BigInt(`${whole}${fraction}`.replace(/^[-+]/, ''));
  const numerator = mantissa.startsWith('-') ? -digits : digits;
  return power >= 0 ? [numerator * 10n ** BigInt(power), 1n] : [numerator, 10n ** BigInt(-power)];
}

function areEqual(left: string, right: string): boolean {
  const [[a, b], [c, d]] = [fractionOf(left), fractionOf(right)];
  return a * d === c * b;
}

const digits = fc.stringMatching(/^(0|[1-9][0-9]{0,24})$/);
const numbers = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('', '-'),
      digits,
      fc.option(fc.stringMatching(/^[0-9]{1,24}$/), { nil: undefined }),
      fc.option(fc.integer({ min: -40, max: 40 }), { nil: undefined }),
    )
    .map(([sign, whole, fraction, exponent]) =>
      [sign, whole, fraction === undefined ? '' : `.${fraction}`, exponent === undefined ? '' : `e${exponent}`].join(
        '',
      ),
    ),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e40, max: 1e40 }).map(String),
);

it('a number is exact if and only if what is written again has its value, and its sign', () => {
  fc.assert(
    fc.property(numbers, (text) => {
      const isLostZero = text.startsWith('-') && Number(text) === 0;
      expect(isExactNumber(text)).toBe(!isLostZero && areEqual(text, String(Number(text))));
    }),
    fuzz(2000),
  );
});

/** The text of a double is exact; a negative zero has none in JSON. */
const values = fc
  .jsonValue({ maxDepth: 4, stringUnit: 'binary' })
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown)
  .filter((value) => JSON.stringify(value).isWellFormed() && !JSON.stringify(value).includes('\\ud'));

it('every value of JSON arrives as it is, from JSON and from YAML', () => {
  fc.assert(
    fc.property(values, fc.integer({ min: 0, max: 4 }), (value, indent) => {
      expect(parseDocument('seed', JSON.stringify(value, undefined, indent), 'f')).toEqual(value);
      expect(parseDocument('seed', stringify(value), 'f')).toEqual(value);
    }),
    fuzz(500),
  );
});
