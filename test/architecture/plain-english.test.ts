// Prose, comments and messages use standard terms and the active voice. This test finds the words that most often break the rule.
import { globSync } from 'node:fs';

import { expect, test } from 'vitest';

import { findingsIn, readText, root } from '../support/checks/findings.ts';

/** Files and folders whose text is checked. */
const checked = ['README.md', '.github', 'deploy', 'crds', '.config', 'src', 'test'];

/** Impersonal subjects, and everyday verbs for technical events. */
const banned =
  /\b(?:(?:some|any|every)(?:body|one)|nobody|no one|whoever|stands|tells|told|look(?:s|ed)|pok(?:e|es|ed|ing)|patience|lets? go|turn(?:s|ed|ing)? (?:on|off))\b/gi;

/** Its examples contain the words. */
const isThisFile = (file: string) => file === 'test/architecture/plain-english.test.ts';

const files = checked
  .flatMap((path) => (/\.(?:md|ts)$/.test(path) ? [path] : globSync(`${path}/**/*`, { cwd: root })))
  .filter((file) => /\.(?:ts|md|ya?ml|mod)$|Dockerfile/.test(file) && !isThisFile(file))
  .sort();

test('every text is written in plain English', () => {
  expect(files.flatMap((file) => findingsIn(readText(file), banned, ([word]) => word))).toEqual([]);
});

test('every entry of the list exists', () => {
  expect(checked.filter((path) => globSync(path, { cwd: root }).length === 0)).toEqual([]);
});

test('the check finds each word with its line, and no part of another word', () => {
  const text = `What somebody waits for never stands behind a resync.
User edits never queue behind resyncs.
It is told twice.
Standards, outlooks and storytellers are fine.`;
  const found = findingsIn({ file: 'a.md', text }, banned, ([word]) => word);
  expect(found).toEqual(['a.md:1: somebody', 'a.md:1: stands', 'a.md:3: told']);
});
