import { expect, test } from 'vitest';

import { UsageError } from '../../../../src/lib/command-errors.ts';
import type { AssignmentSource } from '../../../../src/service/scanner/assignments.ts';
import { createFileSource } from '../../../../src/service/scanner/file-source.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

const file = '/etc/assignments.yaml';
const late = new UsageError(`Cannot read the assignments file ${file}: it was not read within 10 s.`);

/** A source whose readings the test ends. */
function hanging() {
  const clock = new ManualClock();
  const readings: PromiseWithResolvers<unknown>[] = [];
  const read = () => {
    const reading = Promise.withResolvers<unknown>();
    readings.push(reading);
    return reading.promise;
  };
  return { clock, readings, source: createFileSource(file, ['Owner'], { clock, read }) };
}

const signal = new AbortController().signal;

/** What a reading fails with that does not end in time. */
async function failureOf(source: AssignmentSource, clock: ManualClock): Promise<unknown> {
  const failed = source.read(signal).catch((error: unknown) => error);
  await clock.advance(10_000);
  return failed;
}

test('a file that cannot be read to its end is a failure after ten seconds', async () => {
  const { clock, source } = hanging();
  expect(await failureOf(source, clock)).toEqual(late);
});

test('while a reading hangs no other one begins, and the next scan reads the file anew', async () => {
  const { clock, readings, source } = hanging();
  expect(await failureOf(source, clock)).toEqual(late);
  const second = source.read(signal);
  await clock.advance(9999);
  expect(readings).toHaveLength(1);
  readings[0]?.resolve({ scopes: { 'subscriptions/old': {} } });
  await clock.advance(0);
  readings[1]?.resolve({ scopes: {} });
  expect(await second).toEqual([]);
});
