// The line and column of a problem in the text of a document.
import { expect, test } from 'vitest';

import { createFindPlace } from '../../../../src/service/config-files/place-in-text.ts';

const yaml = `scopes:
  a.b/[c]:
    value:
      - name: A
      - {name: B, extra: 1}
`;
const placeIn = (text: string, problem: string) => createFindPlace(text)(problem);

test.each([
  ['scopes["a.b/[c]"] must be an object', 'line 2, column 3'],
  ['scopes["a.b/[c]"].value[0].name: too long', 'line 4, column 9'],
  ['scopes["a.b/[c]"].value[1].extra is no member', 'line 5, column 19'],
])('the place of %s is that of the named part', (problem, place) => expect(placeIn(yaml, problem)).toBe(place));

test('the place of a missing part is that of the part around it', () => {
  expect(placeIn(yaml, 'scopes["a.b/[c]"].value[1].isActive is missing')).toBe('line 5, column 9');
  expect(placeIn(yaml, 'scopes["a.b/[c]"].value[7].name is missing')).toBe('line 3, column 5');
});

test.each([
  ['that names no part', yaml, 'it must be an object'],
  ['whose first part is missing', yaml, 'users is missing'],
  ['whose first part only begins like a member', yaml, 'scopesX is no member'],
  ['of an empty document', '', 'scopes is missing'],
])('a problem %s has no place', (_, text, problem) => expect(placeIn(text, problem)).toBeUndefined());

test('a text of a MiB is searched, a longer one is not', () => {
  const text = `a: ${' '.repeat(1024 * 1024 - 4)}1`;
  expect([text.length, placeIn(text, 'a is wrong')]).toEqual([1024 * 1024, 'line 1, column 1']);
  expect(placeIn(`${text} `, 'a is wrong')).toBeUndefined();
});
