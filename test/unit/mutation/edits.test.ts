// The edits of mutation testing, on sources of a line: the result of each kind, and that a switch enables it.
import { stripTypeScriptTypes } from 'node:module';
import { runInThisContext } from 'node:vm';

import { describe, expect, it } from 'vitest';

import { editsOf } from '../../tools/mutation/edits/all.ts';
import { instrument } from '../../tools/mutation/instrument.ts';

const edited = (source: string) => editsOf(source).map(({ kind, before, after }) => `${kind}: ${before} => ${after}`);

/** What `source`, an expression, gives with each of its edits in turn. */
function valuesOf(source: string, given: Readonly<Record<string, unknown>> = {}): unknown[] {
  const text = `const value = ${source};`;
  const edits = editsOf(text);
  const code = stripTypeScriptTypes(instrument(text, edits, 0)).replace(/^const \$on = [^;]*;/, '');
  const run = runInThisContext(`($on, ${Object.keys(given).join()}) => {${code} return value}`) as (
    ...args: unknown[]
  ) => unknown;
  return edits.map((_, active) => run((id: number) => id === active, ...Object.values(given)));
}

describe('edits', () => {
  it.each<[string, string[]]>([
    ['a < b;', ['comparison turned: a < b => a <= b', 'comparison turned: a < b => a >= b']],
    [
      '(a ?? b) === c;',
      [
        'comparison turned: (a ?? b) === c => (a ?? b) !== c',
        'fallback dropped: a ?? b => a',
        'fallback dropped: a ?? b => b',
      ],
    ],
    ['a === b;', ['comparison turned: a === b => a !== b']],
    ['if (a) b;', ['condition dropped: a => true', 'condition dropped: a => false']],
    ['while (a) b;', ['condition dropped: a => false']],
    ['a && b;', ['condition dropped: a && b => a', 'condition dropped: a && b => b']],
    ['a ?? b;', ['fallback dropped: a ?? b => a', 'fallback dropped: a ?? b => b']],
    ['a = !b;', ['statement dropped: a = !b; => ', 'condition dropped: !b => b']],
    ['const a = 5;', ['constant moved: 5 => 6', 'constant moved: 5 => 4']],
    ['const a = 1;', ['constant moved: 1 => 0']],
    ['const a = 60_000;', ['constant moved: 60_000 => 120000', 'constant moved: 60_000 => 30000']],
    ["const a = 'Active';", ["constant moved: 'Active' => ''"]],
    ["const a = 'a message to people';", []],
    ['f(a, b);', ['statement dropped: f(a, b); => ', 'argument swapped: a, b => b, a']],
    ['const x = a.some(f);', ['method swapped: a.some => every']],
    ['const x = a.filter(f);', ['method swapped: f => () => true']],
    ['const x = { ...a };', ['spread dropped: a => {}']],
    ['await a;', ['await dropped: await a => a']],
    ['try { a; } catch { b; }', ['catch emptied: { b; } => {}']],
    ['log.warn({ a: 1 }, "b");', []],
    ["import { a } from './a.ts'; export { b } from './b.ts';", []],
    ["type A = 'a' | 1; interface B { c: 'd' }", []],
  ])('of `%s`', (source, expected) => {
    expect(edited(source)).toEqual(expected);
  });

  it('of a return give nothing back', () => {
    expect(edited('function f() { return a; }')).toEqual(['return value dropped: a => undefined']);
  });
});

describe('a switch', () => {
  it('brings about each edit alone, also of what is inside another one', () => {
    const given = [true, false, false, false, false, false, false, false, true, false, true, false, true];
    expect(valuesOf('(1 < 2) && [3].some((x) => x === 4)')).toEqual(given);
  });

  it('works in calls, chains and statements', () => {
    expect(valuesOf('Math.max(a, b)', { a: 1, b: 2 })).toEqual([1]);
    expect(valuesOf('f(a, b)', { f: (a: string, b: string) => a + b, a: 'a', b: 'b' })).toEqual(['ba']);
    expect(valuesOf('a?.some((x) => x)', { a: undefined })).toEqual([undefined]);
    expect(valuesOf('(() => { let n = 0; if (a) n = 3; else n = 4; return n; })()', { a: true })).toEqual(
      expect.arrayContaining([undefined, 4, 0]),
    );
    expect(valuesOf('(() => { try { throw a } catch (error) { return error } })()', { a: 'a' })).toEqual([
      undefined,
      undefined,
    ]);
  });
});
