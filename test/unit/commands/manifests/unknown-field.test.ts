// The fix of a field that does not exist.
import { expect, test } from 'vitest';

import { unknownField } from '../../../../src/commands/manifests/problem.ts';

const fixOf = (name: string, known: readonly string[]) => unknownField(['spec'], name, known).fix;

test.each([
  ['the field that was probably meant', 'Scope', ['scope', 'mode'], 'write scope'],
  ['all fields where they are few', 'bearer', ['scope', 'mode'], 'remove it, or write one of scope, mode'],
  ['no fields where there are none', 'bearer', [], 'remove it'],
  ['no fields where they are many', 'bearer', Array.from('abcdefghi', (letter) => letter.repeat(20)), 'remove it'],
])('names %s', (_, name, known, fix) => expect(fixOf(name, known)).toBe(fix));
