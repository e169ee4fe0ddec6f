// Every reason of a condition or an event: where it appears, which object its message names, and the next step. The rows come from the
// code that the operator runs (test/support/reasons/), and `npm run generate` shows them in deploy/runbook.md and deploy/reference/conditions.md.
import { describe, expect, it } from 'vitest';

import { describeOperatorMetrics } from '../../../../.config/metrics.ts';
import {
  capacityReasons,
  connectionReasons,
  policyReasons,
  type ReasonText,
} from '../../../../src/operator/reasons/reasons.ts';
import { alertName } from '../../../support/builders/objects.ts';
import { capacityExamples, connectionExamples } from '../../../support/reasons/connection-examples.ts';
import { eventExamples } from '../../../support/reasons/event-examples.ts';
import { policyExamples } from '../../../support/reasons/policy-examples.ts';
import { capacityRows, connectionRows, eventRows, policyRows, type ReasonRow } from '../../../support/reasons/rows.ts';
import { scope } from '../../../support/reasons/samples.ts';

const rowsOfPolicies = await policyRows();
const rowsOfConnections = [...connectionRows(), ...capacityRows()];
const rowsOfEvents = await eventRows();
const all = [...rowsOfPolicies, ...rowsOfConnections, ...rowsOfEvents].map((row) => [row.reason, row] as const);
const metrics = new Set(describeOperatorMetrics().map(({ name }) => name));
const objects = [alertName, scope, 'team/prod', 'team/credentials', 'team/alerts'];
const namesAnObject = ({ message }: ReasonRow) => objects.some((object) => message.includes(object));
const texts: Readonly<Record<string, ReasonText>> = { ...policyReasons, ...connectionReasons, ...capacityReasons };

it('every reason has a row', () => {
  expect(rowsOfPolicies.map(({ reason }) => reason)).toEqual(Object.keys(policyReasons));
  expect(rowsOfConnections.map(({ reason }) => reason)).toEqual([
    ...Object.keys(connectionReasons),
    ...Object.keys(capacityReasons),
  ]);
  expect(rowsOfEvents.map(({ reason }) => reason)).toEqual(Object.keys(eventExamples));
});

describe.each(all)('%s', (reason, row) => {
  it('has a condition, an event, a log line and a metric, or says why not', () => {
    expect(row.conditions).toMatch(/^(none, because .+|.*`.+`.*)$/);
    expect(row.event).toMatch(/^(none, because .+|Normal|Warning)$/);
    expect(row.log).toMatch(/^(none, because .+|(, )?((info|warn) `(condition changed|event emitted)`(, )?)+)$/);
    expect(row.metric).toMatch(/^(none, because .+|`.+`.*)$/);
  });

  it('is logged as a warning whenever its event is one', () => {
    expect(row.log.includes('warn `event emitted`')).toBe(row.event === 'Warning');
  });

  it('has a metric that exists', () => {
    const named = row.metric.match(/\b(?:rolealerts|controller_runtime)_[a-z_]+/g) ?? [];
    expect(named.filter((name) => !metrics.has(name))).toEqual([]);
  });

  it('has a message of at most 300 characters', () => {
    expect(row.message.length).toBeLessThanOrEqual(300);
    expect(row.message).toMatch(/^[A-Z].*\.$/s);
    expect(reason).toMatch(/^[A-Z][A-Za-z]+$/);
  });
});

describe('the message', () => {
  it.each([...rowsOfPolicies, ...rowsOfConnections].map((row) => [row.reason, row] as const))(
    'of %s names an object and the next step, unless it is general',
    (reason, row) => {
      const isGeneral = [policyExamples, connectionExamples, capacityExamples].some(
        (examples) => (examples as Readonly<Record<string, { isGeneral?: string }>>)[reason]?.isGeneral !== undefined,
      );
      const exists = !row.conditions.startsWith('none');
      expect(namesAnObject(row)).toBe(exists && !isGeneral);
      expect(isGeneral || /^[A-Z].*\.$/s.test(texts[reason]?.next ?? '')).toBe(true);
    },
  );

  it.each(rowsOfEvents.map((row) => [row.reason, row] as const))(
    'of the event %s names an object, unless it is general, and the next step, unless there is none',
    (reason, row) => {
      const { noNext, isGeneral } = eventExamples[reason as keyof typeof eventExamples];
      expect(namesAnObject(row)).toBe(isGeneral === undefined);
      const hasNext = /[.:] [^.]*\b(Extend|Handle|Check|Find|Declare|set|Apply)\b[^.]*(\.[^.]*)?\.$/.test(row.message);
      expect(hasNext).toBe(noNext === undefined);
    },
  );
});
