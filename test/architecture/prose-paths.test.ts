// Every file that a page or a comment names exists. A path may leave out folders at its beginning: `operator/decide/plan.ts`, `schedule.ts`.
import { execFileSync } from 'node:child_process';
import { posix } from 'node:path';

import { expect, test } from 'vitest';

import { findingAt, findingsIn, readText, root, type TextFile } from '../support/checks/findings.ts';

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '');

/** Every path with and without the folders at its beginning. Folders count, too. */
const endings = new Set(files.flatMap((file) => [file, ...foldersOf(file)]).flatMap(endingsOf));

/** Written by a command, so that it is not in the repository. */
const produced = [/^dist\//, /^\.rolealerts\//, /^node_modules\//];

function foldersOf(file: string): string[] {
  const folder = posix.dirname(file);
  return folder === '.' ? [] : [folder, ...foldersOf(folder)];
}

function endingsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, index) => parts.slice(index).join('/'));
}

/**
 * Sources, manifests with their folder, and folders of this repository. A manifest's name alone may be a file of the user, and what begins
 * with a dot is the end of a name.
 */
const named = /(?<![\w./-])((?:[\w.-]+\/)*[\w-][\w.-]*\.ts|(?:src|test|deploy|crds)\/[\w./-]*[\w])(?![\w/-])/g;

function missingOf(path: string): string | undefined {
  const name = path.replace(/^(?:\.{1,2}\/)+/, '');
  return endings.has(name) || produced.some((pattern) => pattern.test(name)) ? undefined : `no such file: ${name}`;
}

test('every file that a page names exists', () => {
  const pages = files.filter((file) => file.endsWith('.md')).map(readText);
  expect(pages.flatMap((page) => findingsIn(page, named, ([, path = '']) => missingOf(path)))).toEqual([]);
});

test('every file that a comment names exists', () => {
  const sources = files.filter((file) => /\.(ts|ya?ml)$/.test(file) && !file.includes('/fixtures/')).map(readText);
  expect(sources.flatMap(missingInComments)).toEqual([]);
});

function missingInComments(source: TextFile): string[] {
  const comments = source.text.matchAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$|(?<=^|\s)#\s.*$/gm);
  return [...comments].flatMap(({ 0: comment, index: start }) =>
    [...comment.matchAll(named)].flatMap(({ 1: path = '', index }) => {
      const missing = missingOf(path);
      return missing === undefined ? [] : [findingAt(source, start + index, missing)];
    }),
  );
}
