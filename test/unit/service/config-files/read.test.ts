// What a configuration file says arrives exactly, or the file is refused with the place.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { UsageError } from '../../../../src/lib/command-errors.ts';
import { discreetReason, parseDocument, readDocument } from '../../../../src/service/config-files/read.ts';
import { newFolder } from '../../../support/rigs/new-folder.ts';

function outcomeOf(text: string, reasonOf?: typeof discreetReason): unknown {
  try {
    return parseDocument('seed', text, 'f', reasonOf);
  } catch (error) {
    return error instanceof UsageError ? error.message : error;
  }
}

const inexact = 'cannot be kept exactly as written; quote it to keep it as text';

describe('a number', () => {
  test.each(['12345678901234567890', '1e400', '0.1000000000000000000001', '-0'])(
    '%s, which would change, is refused with its place in JSON and in YAML',
    (number) => {
      expect(outcomeOf(`{\n  "a": [1, ${number}]}`)).toBe(
        `The seed f is invalid: the number at line 2, column 12 ${inexact}.`,
      );
      expect(outcomeOf(`a:\n  - 1\n  - ${number}\n`)).toBe(
        `The seed f is invalid: the number at line 3, column 5 ${inexact}.`,
      );
    },
  );

  test.each(['.inf', '-.Inf', '.NaN', '0xFFFFFFFFFFFFFFFFFF'])('%s of YAML is refused with its place', (number) => {
    expect(outcomeOf(`a: ${number}`)).toBe(`The seed f is invalid: the number at line 1, column 4 ${inexact}.`);
  });

  test('in a text is text', () => {
    expect(outcomeOf('{"a": "1e400 \\" 12345678901234567890", "12345678901234567890": 1}')).toEqual({
      a: '1e400 " 12345678901234567890',
      '12345678901234567890': 1,
    });
  });
});

describe('a member of JSON', () => {
  test.each([
    ['twice', '{"a": 1,\n "a": 2}', 2, 2],
    ['after an object', '{"a": {"a": [{"a": 1}]}, "b": {}, "a": 1}', 1, 35],
    ['in a list', '[{"a": 1}, {"a": [],"a": {}}]', 1, 21],
    ['in another spelling', '{"a": 1, "\\u0061": 2}', 1, 10],
  ])('%s is refused with its place', (_, text, line, column) => {
    expect(outcomeOf(text)).toBe(
      `The seed f is invalid: the member at line ${line}, column ${column} repeats an earlier one.`,
    );
  });

  test('may have the name of a member elsewhere', () => {
    const text = '{"a": {"b": "a"}, "b": [{"a": 1}, {"a": 2}], "c": ["a", "a"]}';
    expect(outcomeOf(text)).toEqual(JSON.parse(text));
  });
});

describe('a member of YAML', () => {
  test.each([
    ['1: a\n"1": b\n', 2, 1],
    ['a: 1\nb: {c: 1, c: 2}', 2, 11],
  ])('that repeats an earlier one is refused with its place: %j', (text, line, column) => {
    expect(outcomeOf(text)).toBe(
      `The seed f is neither JSON nor YAML: Map keys must be unique at line ${line}, column ${column}.`,
    );
  });

  test('has its name as it is written', () => {
    expect(outcomeOf('1.0: a\ntrue: b\n~: c\n0x10: d\n')).toEqual({ '1.0': 'a', true: 'b', '~': 'c', '0x10': 'd' });
  });
});

describe('a text', () => {
  test.each([
    ['JSON', '{"a":\n "x\\ud800"}', 2, 2],
    ['YAML', 'a: "x\\ud800"', 1, 4],
  ])('of %s with half of a surrogate pair is refused with its place', (_, text, line, column) => {
    expect(outcomeOf(text)).toBe(
      `The seed f is invalid: the text at line ${line}, column ${column} contains half of a surrogate pair.`,
    );
  });
});

describe('YAML', () => {
  test.each([
    ['a: !!timestamp 2022-01-01', /^The seed f is neither JSON nor YAML: Unresolved tag.* at line 1, column 4\.$/],
    ['? [a]\n: b', /^The seed f is neither JSON nor YAML: .* at line 1, column 3\.$/],
    ['a: 1\n---\nb: 2\n', /^The seed f is neither JSON nor YAML: .*multiple documents/],
  ])('that means more than JSON can hold is refused: %j', (text, sentence) => {
    expect(outcomeOf(text)).toMatch(sentence);
  });

  test.each([
    ['a: &a\n  b: *a\n', 2, 6],
    ['- &a [1, [*a]]', 1, 11],
  ])('with an alias within its own anchor is refused: %j', (text, line, column) => {
    const what = 'is within what it repeats, which would have no end';
    expect(outcomeOf(text)).toBe(`The seed f is invalid: the alias at line ${line}, column ${column} ${what}.`);
  });

  test.each([
    ['a: &a {isActive: true}\nb: {<<: *a, c: 1}\n', 2, 5],
    ['a: &a {b: 1}\n<<: [*a, *a]\n', 2, 1],
  ])('with a merge key is refused, because its members would be missing: %j', (text, line, column) => {
    const what = 'merges nothing in YAML 1.2; repeat the members, or quote it to keep it as a name';
    expect(outcomeOf(text)).toBe(`The seed f is invalid: the merge key at line ${line}, column ${column} ${what}.`);
  });
});

test('several losses are listed with their places, and no content', () => {
  const sentence = outcomeOf('{"secret": 12345678901234567890, "secret": 1e999}', discreetReason);
  expect(sentence).toBe(
    `The seed f is invalid: the number at line 1, column 12 ${inexact}; ` +
      `the member at line 1, column 34 repeats an earlier one; the number at line 1, column 44 ${inexact}.`,
  );
});

describe('a file', () => {
  async function outcomeOfFile(bytes: Uint8Array | string): Promise<unknown> {
    const folder = await newFolder();
    const file = join(folder, 'f');
    await writeFile(file, bytes);
    return readDocument('seed', file).catch((error: unknown) => String(error).replaceAll(file, 'f'));
  }

  test.each([
    ['in the middle', [...Buffer.from('a: 1\nb: "x'), 0xe9, ...Buffer.from('"\nc: 2')], 2, 6],
    ['at the end, cut', [...Buffer.from('a: 1\n'), 0xf0, 0x9f, 0x98], 2, 1],
  ])('that is not UTF-8 is refused with the place of the first wrong byte: %s', async (_, bytes, line, column) => {
    expect(await outcomeOfFile(Uint8Array.from(bytes))).toBe(
      `UsageError: The seed f is not UTF-8 at line ${line}, column ${column}.`,
    );
  });

  test.each(['{"a": "é"}', 'a: é'])('may begin with a byte order mark: %s', async (text) => {
    expect(await outcomeOfFile(`\ufeff${text}`)).toEqual({ a: 'é' });
  });
});

test.each(['""', '"\\\\"', '"\\""', '"a\\\\\\"b\\\\"', '"\\\\\\\\"', '"[{,:1e999"', '"\\u0022"'])(
  'the text %s ends where JSON ends it, and the number behind it is seen',
  (quoted) => {
    expect(outcomeOf(`[${quoted}]`)).toEqual([JSON.parse(quoted)]);
    expect(outcomeOf(`[${quoted}, 1e999]`)).toBe(
      `The seed f is invalid: the number at line 1, column ${quoted.length + 4} ${inexact}.`,
    );
  },
);
