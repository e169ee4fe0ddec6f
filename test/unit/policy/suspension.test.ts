// When a suspension holds, and when it ends by itself.
import { describe, expect, it } from 'vitest';

import { isSuspended, suspensionEndMs } from '../../../src/policy/suspension.ts';

const nowMs = Date.UTC(2026, 5, 1, 12);

describe('a suspension', () => {
  it.each([
    ['without an end holds', { suspend: true }, true],
    ['holds before its end', { suspend: true, suspendUntil: '2026-06-01T12:00:01Z' }, true],
    ['is over at its end', { suspend: true, suspendUntil: '2026-06-01T12:00:00Z' }, false],
    ['reads the zone of its end', { suspend: true, suspendUntil: '2026-06-01T13:00:01+01:00' }, true],
    ['holds when its end is unreadable', { suspend: true, suspendUntil: 'tomorrow' }, true],
    ['is none without suspend', { suspend: false, suspendUntil: '2026-12-24T00:00:00Z' }, false],
  ])('%s', (_, spec, expected) => {
    expect(isSuspended(spec, nowMs)).toBe(expected);
  });

  it('has an end only with suspend and a readable time', () => {
    expect(suspensionEndMs({ suspend: true, suspendUntil: '2026-06-01T12:00:00Z' })).toBe(nowMs);
    expect(suspensionEndMs({ suspend: false, suspendUntil: '2026-06-01T12:00:00Z' })).toBeUndefined();
    expect(suspensionEndMs({ suspend: true, suspendUntil: 'tomorrow' })).toBeUndefined();
    expect(suspensionEndMs({ suspend: true })).toBeUndefined();
  });
});
