// test/property/operator/alert-client/fuzz.test.ts has pages of any shape.
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { decodeAlertPage } from '../../../src/alerts/decode.ts';

test('decoding does not depend on unknown members', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string().map((key) => `x${key}`),
        fc.jsonValue(),
      ),
      (unknown) => {
        const alert = { ...unknown, name: 'A', properties: { ...unknown, isActive: true } };
        expect(decodeAlertPage({ ...unknown, value: [alert] })).toEqual(
          decodeAlertPage({ value: [{ name: 'A', properties: { isActive: true } }] }),
        );
      },
    ),
  );
});
