import fc from 'fast-check';
import { expect, test } from 'vitest';

import { decodeAlertPage } from '../../../src/alerts/decode.ts';

/** JSON that often resembles a page, with arbitrary values in every place. */
function pageLike(): fc.Arbitrary<unknown> {
  const anything = fc.jsonValue({ maxDepth: 2 });
  const maybe = (arbitrary: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: 4, arbitrary }, { weight: 1, arbitrary: anything });
  const record = (model: Record<string, fc.Arbitrary<unknown>>) => maybe(fc.record(model, { requiredKeys: [] }));
  const incident = record({
    name: maybe(fc.string()),
    id: maybe(fc.string()),
    properties: record({ assigneeType: anything }),
  });
  const properties = record({
    isActive: maybe(fc.boolean()),
    incidentCount: maybe(fc.nat()),
    alertIncidents: maybe(fc.array(incident)),
    lastModifiedDateTime: maybe(fc.date({ noInvalidDate: true }).map((date) => date.toISOString())),
    alertDefinition: record({ properties: record({ severityLevel: anything }) }),
    alertConfiguration: record({ properties: record({ isEnabled: anything }) }),
  });
  const alert = record({
    name: maybe(fc.string({ minLength: 1 })),
    properties,
    systemData: record({ lastModifiedByType: anything }),
  });
  return fc.oneof(anything, record({ value: maybe(fc.array(alert)), nextLink: maybe(fc.webUrl()) }));
}

test('decoding gives a value or problems for any JSON, and never throws', () => {
  fc.assert(
    fc.property(pageLike(), (json) => {
      const { value, problems } = decodeAlertPage(json);
      expect(value === undefined).toBe(problems.length > 0);
      for (const alert of value?.alerts ?? []) {
        expect(typeof alert.isActive).toBe('boolean');
        expect(alert.name).not.toBe('');
        expect(alert.incidentCount).toBeGreaterThanOrEqual(alert.incidents.length);
      }
    }),
    { numRuns: 500 },
  );
});

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
