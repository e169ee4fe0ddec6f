// Prose, comments and messages use standard terms and the active voice. This test finds the words that most often break the rule.
import { globSync, readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

/** Files and folders whose text is checked. */
const checked = ['README.md', '.github', 'deploy', 'crds', '.config', 'src', 'test'];

/** Impersonal subjects, and everyday verbs for technical events. */
const banned =
  /\b(?:(?:some|any|every)(?:body|one)|nobody|no one|whoever|stands|tells|told|look(?:s|ed)|pok(?:e|es|ed|ing)|patience|lets? go|turn(?:s|ed|ing)? (?:on|off))\b/gi;

const root = new URL('../..', import.meta.url).pathname;
/** Its examples contain the words. */
const isThisFile = (file: string) => file === 'test/architecture/plain-english.test.ts';

const files = checked
  .flatMap((path) => (/\.(?:md|ts)$/.test(path) ? [path] : globSync(`${path}/**/*`, { cwd: root })))
  .filter((file) => /\.(?:ts|md|ya?ml|mod)$|Dockerfile/.test(file) && !isThisFile(file))
  .sort();

function bannedIn(text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const words = [...line.matchAll(banned)].map(([word]) => word);
    return words.map((word) => `line ${index + 1}: ${word}`);
  });
}

test.each(files)('%s is written in plain English', (file) => {
  expect(bannedIn(readFileSync(`${root}${file}`, 'utf8'))).toEqual([]);
});

test('every entry of the list exists', () => {
  for (const path of checked) expect(globSync(path, { cwd: root })).toEqual([path]);
});

test.each([
  ['What somebody waits for never stands behind a resync.', ['line 1: somebody', 'line 1: stands']],
  ['User edits never queue behind resyncs.\nIt is told twice.', ['line 2: told']],
  ['Standards, outlooks and storytellers are fine.', []],
])('the check of %j finds %j', (text, found) => {
  expect(bannedIn(text)).toEqual(found);
});
