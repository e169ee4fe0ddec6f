// The end of a page: a number of alerts, or a number of bytes.
import { expect, test } from 'vitest';

import { pageLimitBytes, pageOf, storedText, type StoredDocumentRow } from '../../../src/service/alerts/stored-rows.ts';

/** A row whose alert has this number of bytes as JSON text, most of them `character`. */
function rowOf(position: number, bytes: number, character = 'x'): StoredDocumentRow {
  const row = { position, is_active: 1, system_data: null, members: `"name":"A${position}"`, properties: '"note":""' };
  const free = bytes - Buffer.byteLength(storedText(row));
  const width = Buffer.byteLength(character);
  const note = character.repeat(Math.floor(free / width)) + 'x'.repeat(free % width);
  return { ...row, properties: `"note":"${note}"` };
}

const many = 100;
const textOf = (rows: readonly StoredDocumentRow[]) => rows.map(storedText).join(',');

/** With its comma, each of them is a quarter of a page. */
const quarter = pageLimitBytes / 4 - 1;

test.each([
  ['ASCII', 'x'],
  ['four bytes a character', '😀'],
])('a page has 64 KiB, and ends before the alert that would exceed them: %s', (_, character) => {
  const rows = [1, 2, 3, 4, 5].map((position) => rowOf(position, quarter, character));
  expect(pageOf(rows, many)).toEqual({ text: textOf(rows.slice(0, 4)), lastPosition: 4 });
  expect(pageOf(rows.slice(0, 4), many)).toEqual({ text: textOf(rows.slice(0, 4)) });
  const longer = [...rows.slice(0, 3), rowOf(4, quarter + 1, character)];
  expect(pageOf(longer, many)).toEqual({ text: textOf(longer.slice(0, 3)), lastPosition: 3 });
});

test('an alert above 64 KiB is a page of its own, wherever it is', () => {
  const [small, large, next] = [rowOf(1, 1000), rowOf(2, pageLimitBytes + 1), rowOf(3, 1000)];
  expect(pageOf([small, large, next], many)).toEqual({ text: storedText(small), lastPosition: 1 });
  expect(pageOf([large, next], many)).toEqual({ text: storedText(large), lastPosition: 2 });
  expect(pageOf([large], many)).toEqual({ text: storedText(large) });
  expect(pageOf([next], many)).toEqual({ text: storedText(next) });
});

test('a page reads no alert beyond the one that shows it is not the last', () => {
  function* rows() {
    yield* [1, 2, 3].map((position) => rowOf(position, 1000));
    throw new Error('read too far');
  }
  expect(pageOf(rows(), 2)?.lastPosition).toBe(2);
  expect(pageOf([], many)).toBeUndefined();
});
