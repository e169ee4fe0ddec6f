// The `--help` of every script lists all of its options.
import { expect, test } from 'vitest';

import { readText } from '../support/checks/findings.ts';

const scripts = [
  'test/simulation/main.ts',
  'test/simulation/find-bugs.ts',
  'test/simulation/soak.ts',
  'test/tools/mutation/main.ts',
];

test.each(scripts)('the help of %s explains every option', (script) => {
  const { text } = readText(script);
  const options = [...text.matchAll(/ '?([a-z-]+)'?: \{ type: '(?:string|boolean)'/g)].map(([, name]) => name);
  const explained = [...text.matchAll(/^ {2}--([a-z-]+) /gm)].map(([, name]) => name);
  expect(options.length).toBeGreaterThan(1);
  expect(new Set(explained)).toEqual(new Set(options));
});
