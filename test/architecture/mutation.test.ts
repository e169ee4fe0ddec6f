// Mutation testing runs the fast tests with a stand-in for Vitest, which has to have what they use.
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

const root = new URL('../..', import.meta.url);
const tests = globSync('test/{unit,property,contract}/**/*.test.ts', { cwd: root.pathname }).map((path) =>
  readFileSync(new URL(path, root), 'utf8'),
);

function membersOfStandIn(): Record<'exports' | 'describe' | 'test', readonly string[]> {
  const script = `const standIn = await import(${JSON.stringify(new URL('test/tools/mutation/vitest-stand-in.ts', root).href)});
    const members = { exports: Object.keys(standIn), describe: Object.keys(standIn.describe), test: Object.keys(standIn.test) };
    console.log(JSON.stringify(members));`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as ReturnType<typeof membersOfStandIn>;
}

it('the stand-in for Vitest has what the fast tests use', () => {
  const { exports, describe, test } = membersOfStandIn();
  const imported = tests
    .flatMap((text) => [...text.matchAll(/import \{([^}]*)\} from 'vitest'/g)])
    .flatMap(([, names = '']) => names.split(','))
    .map((name) => name.trim().replace(/ as .*/, ''))
    .filter((name) => name !== '' && !name.startsWith('type '));
  expect(new Set(imported).difference(new Set(exports))).toEqual(new Set());
  const uses = (what: string) =>
    new Set(
      tests
        .flatMap((text) => [...text.matchAll(new RegExp(`^ *(?:${what})\\.(\\w+)[(\`<]`, 'gm'))])
        .map(([, name]) => name),
    );
  expect(uses('it|test').size).toBeGreaterThan(2);
  expect(uses('it|test').difference(new Set(test))).toEqual(new Set());
  expect(uses('describe').difference(new Set(describe))).toEqual(new Set());
});
