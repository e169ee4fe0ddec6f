import { describe, expect, test } from 'vitest';

import { Slots } from '../../../src/alert-client/slots.ts';
import type { Priority } from '../../../src/alert-client/waiting-line.ts';
import { settlePromises } from '../../support/manual-clock.ts';

function enter(
  slots: Slots,
  events: string[],
  label: string,
  priority: Priority,
  signal = new AbortController().signal,
) {
  slots.enter({ priority, signal }).then(
    () => events.push(label),
    () => events.push(`${label}:stopped`),
  );
}

describe('slots', () => {
  test('let in as many as there are, then one for each that leaves, high first', async () => {
    const slots = new Slots(2);
    const events: string[] = [];
    for (const label of ['l1', 'l2', 'l3']) enter(slots, events, label, 'low');
    enter(slots, events, 'h1', 'high');
    await settlePromises();
    expect(events).toEqual(['l1', 'l2']);
    slots.leave();
    await settlePromises();
    expect(events).toEqual(['l1', 'l2', 'h1']);
    slots.leave();
    slots.leave();
    slots.leave();
    await settlePromises();
    for (const label of ['a', 'b', 'c']) enter(slots, events, label, 'low');
    await settlePromises();
    expect(events).toEqual(['l1', 'l2', 'h1', 'l3', 'a', 'b']);
  });

  test('do not go to somebody who gave up', async () => {
    const slots = new Slots(1);
    const events: string[] = [];
    const life = new AbortController();
    enter(slots, events, 'a', 'low');
    enter(slots, events, 'b', 'low', life.signal);
    enter(slots, events, 'c', 'low');
    life.abort();
    slots.leave();
    await settlePromises();
    expect(events).toEqual(['a', 'b:stopped', 'c']);
  });

  test('that are held count once, and are left once', async () => {
    const slots = new Slots(1);
    const events: string[] = [];
    const held = await slots.hold({ priority: 'low', signal: new AbortController().signal });
    for (const label of ['a', 'b']) enter(slots, events, label, 'low');
    await settlePromises();
    expect(events).toEqual([]);
    held.leave();
    held.leave();
    await settlePromises();
    expect(events).toEqual(['a']);
  });
});
