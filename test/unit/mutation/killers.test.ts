// The matrix of edits and the test files that notice them.
import { expect, it } from 'vitest';

import { editsOf } from '../../tools/mutation/edits/all.ts';
import { matrixOf } from '../../tools/mutation/killers.ts';
import { mutantsOf } from '../../tools/mutation/mutants.ts';

const source = 'let a;\nconst b = 5;\n';

it('a matrix counts for each test file what it notices, and what only it does', () => {
  const mutants = mutantsOf([{ path: 'src/plan/a.ts', source, edits: editsOf(source), firstId: 0 }]);
  const killers = [['test/a.test.ts', 'test/b.test.ts'], ['test/a.test.ts']];
  const judged = mutants.map((mutant, index) => {
    const [file = ''] = killers[index] ?? [];
    return {
      mutant,
      verdict: { result: 'killed' as const, by: { file, name: '' }, how: '', killers: killers[index] ?? [] },
    };
  });
  const cases = ['c', 'b', 'a', 'a'].map((name) => ({ file: `test/${name}.test.ts`, cpuMs: 1.5 }));
  expect(matrixOf(judged, cases)).toEqual({
    tests: [
      { file: 'test/a.test.ts', cpuMs: 3, noticed: 2, alone: 1 },
      { file: 'test/b.test.ts', cpuMs: 2, noticed: 1, alone: 0 },
      { file: 'test/c.test.ts', cpuMs: 2, noticed: 0, alone: 0 },
    ],
    edits: [
      { place: 'src/plan/a.ts:2', edit: 'constant moved: 5 => 6', killers: killers[0] },
      { place: 'src/plan/a.ts:2', edit: 'constant moved: 5 => 4', killers: killers[1] },
    ],
  });
});
