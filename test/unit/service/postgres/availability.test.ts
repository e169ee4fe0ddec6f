// While the database is away, one probe at a time tests for its return, and the log has one line for the loss and one for the return.
import { describe, expect, test } from 'vitest';

import { createAvailability } from '../../../../src/service/postgres/availability.ts';
import { away } from '../../../../src/service/postgres/classify-failure.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

function watched() {
  const clock = new ManualClock();
  const lines: string[] = [];
  const probes: PromiseWithResolvers<unknown>[] = [];
  const line = (_: object, text: string) => void lines.push(text);
  const availability = createAvailability({
    probe: () => {
      probes.push(Promise.withResolvers());
      return probes.at(-1)?.promise ?? Promise.reject(new Error('no probe'));
    },
    clock,
    log: { error: line, info: line } as never,
  });
  return { availability, clock, lines, probes };
}

const lostLine = 'database not reachable: requests get 503 until it is';

describe('the availability of the database', () => {
  test('is lost by a refusal as well, and the log does not say that the server is not reachable', () => {
    const { availability, lines } = watched();
    availability.lost(away({ state: '3D000', report: 'refused' }));
    expect(lines).toEqual(['database refuses connections: requests get 503 until it accepts one']);
  });

  test('is not probed after the stop', async () => {
    const { availability, clock, lines, probes } = watched();
    availability.lost(away());
    availability.stop();
    probes[0]?.reject(away());
    await clock.advance(60_000);
    availability.lost(away());
    expect(probes).toHaveLength(1);
    expect(lines).toEqual([lostLine]);
  });
});
