// Which request makes room for another one while too many send their bodies.
import { expect, test } from 'vitest';

import { ArrivingBodies, type ArrivingBody } from '../../../../src/service/http/arriving-bodies.ts';

function arriving(most: number) {
  const cut: string[] = [];
  const bodies = new ArrivingBodies(most);
  const add = (name: string, network: string): ArrivingBody => {
    const body = { network, cut: () => void cut.push(name) };
    bodies.add(body);
    return body;
  };
  return { bodies, add, cut };
}

test('none is cut up to the limit', () => {
  const { add, cut } = arriving(3);
  for (const name of ['a', 'b', 'c']) add(name, 'one');
  expect(cut).toEqual([]);
});

test('above the limit the oldest is cut', () => {
  const { add, cut } = arriving(2);
  for (const name of ['a', 'b', 'c', 'd']) add(name, 'one');
  expect(cut).toEqual(['a', 'b']);
});

test('the network with the most makes room, whichever is older', () => {
  const { add, cut } = arriving(4);
  add('other', 'two');
  for (const name of ['a', 'b', 'c']) add(name, 'one');
  add('another', 'two');
  expect(cut).toEqual(['a']);
  add('d', 'one');
  expect(cut).toEqual(['a', 'b']);
});

test('one that has arrived makes room, also when that is noted twice', () => {
  const { bodies, add, cut } = arriving(2);
  const first = add('a', 'one');
  add('b', 'two');
  bodies.remove(first);
  bodies.remove(first);
  add('c', 'one');
  expect(cut).toEqual([]);
  add('d', 'one');
  expect(cut).toEqual(['c']);
});
