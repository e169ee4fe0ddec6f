// The chain of responses that clients may not have read.
import { expect, it } from 'vitest';

import { ResponseChain } from '../../../../src/service/http/response-chain.ts';

function chainOf(...names: readonly string[]) {
  const chain = new ResponseChain<string>();
  const links = names.map((held, sinceMs) => chain.add({ held, sinceMs, cut: () => undefined }));
  return { chain, links, names: () => [...chain].map(({ held }) => held) };
}

it('has the responses in the order in which they were added', () => {
  expect(chainOf('a', 'b', 'c').names()).toEqual(['a', 'b', 'c']);
});

it.each([
  [0, ['b', 'c', 'd']],
  [1, ['a', 'c', 'd']],
  [2, ['a', 'b', 'd']],
])('without response %i it has the others, and takes a new one at the end', (index, left) => {
  const { chain, links, names } = chainOf('a', 'b', 'c');
  const [removed] = links.splice(index, 1);
  if (removed) chain.remove(removed);
  chain.add({ held: 'd', sinceMs: 3, cut: () => undefined });
  expect(names()).toEqual(left);
});

it.each(['first', 'last'])('can be emptied, the %s one first, and filled again', (end) => {
  const { chain, links, names } = chainOf('a', 'b');
  for (const link of end === 'first' ? links : links.toReversed()) chain.remove(link);
  expect(names()).toEqual([]);
  chain.add({ held: 'c', sinceMs: 2, cut: () => undefined });
  expect(names()).toEqual(['c']);
});

it('a removed response refers to no other, which it would keep in memory', () => {
  const { chain, links } = chainOf('a', 'b', 'c');
  const [, removed] = links;
  if (!removed) throw new Error('no link');
  chain.remove(removed);
  expect([removed.earlier, removed.later]).toEqual([undefined, undefined]);
});

it('a response may be removed while it is visited', () => {
  const { chain, links } = chainOf('a', 'b', 'c');
  const seen: string[] = [];
  let index = 0;
  for (const { held } of chain) {
    seen.push(held);
    const link = links[index++];
    if (link) chain.remove(link);
  }
  expect(seen).toEqual(['a', 'b', 'c']);
});
