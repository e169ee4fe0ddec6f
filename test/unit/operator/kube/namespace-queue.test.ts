import { describe, expect, test } from 'vitest';

import { NamespaceQueue } from '../../../../src/operator/kube/event-recorder.ts';

function drained(queue: NamespaceQueue<string>): string[] {
  const items: string[] = [];
  for (let item = queue.next(); item !== undefined; item = queue.next()) items.push(item);
  return items;
}

/** `a1` is the first of the namespace `a`. */
function filled(capacity: number, ...items: readonly string[]) {
  const queue = new NamespaceQueue<string>(capacity);
  const isKept = items.map((item) => queue.add(item.slice(0, 1), item));
  return { queue, isKept };
}

describe('a fair queue', () => {
  test('serves the namespaces by turns, each in its order', () => {
    const { queue, isKept } = filled(9, 'a1', 'a2', 'a3', 'b1', 'b2', 'c1');
    expect(isKept).not.toContain(false);
    expect(drained(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  test('that is full drops the newest of the namespace with the most', () => {
    const { queue, isKept } = filled(3, 'a1', 'a2', 'a3', 'b1', 'a4');
    expect(isKept).toEqual([true, true, true, false, false]);
    expect(drained(queue)).toEqual(['a1', 'b1', 'a2']);
  });

  test('drops a new item when no other namespace has more', () => {
    const { queue, isKept } = filled(2, 'a1', 'b1', 'c1');
    expect(isKept).toEqual([true, true, false]);
    expect(drained(queue)).toEqual(['a1', 'b1']);
  });

  test('has room again after items were served or cleared', () => {
    const { queue } = filled(2, 'a1', 'a2');
    queue.next();
    expect(queue.add('a', 'a3')).toBe(true);
    expect(queue.clear()).toBe(2);
    expect(queue.add('a', 'a4')).toBe(true);
    expect(drained(queue)).toEqual(['a4']);
  });
});
