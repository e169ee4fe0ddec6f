// Every file that a page or a comment names exists. A path may leave out folders at its beginning: `plan/plan.ts`, `schedule.ts`.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';

import { describe, expect, it } from 'vitest';

const root = new URL('../..', import.meta.url);
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '');
const read = (file: string) => readFileSync(new URL(file, root), 'utf8');

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

/** Sources, manifests with their folder, and folders of this repository. A manifest's name alone may be a file of the user. */
const named = /(?<![\w./-])((?:[\w.-]+\/)*[\w.-]+\.ts|(?:src|test|deploy|crds)\/[\w./-]*[\w])(?![\w/-])/g;

function missingIn(text: string): string[] {
  const names = [...text.matchAll(named)].map(([, name = '']) => name.replace(/^(?:\.{1,2}\/)+/, ''));
  return names.filter((name) => !endings.has(name) && !produced.some((pattern) => pattern.test(name)));
}

describe('files that are named', () => {
  it.each(files.filter((file) => file.endsWith('.md')))('in %s exist', (page) => {
    expect(missingIn(read(page))).toEqual([]);
  });

  it('in comments exist', () => {
    const sources = files.filter((file) => /\.(ts|ya?ml)$/.test(file) && !file.includes('/fixtures/'));
    const wrong = sources.flatMap((file) => missingIn(commentsOf(read(file))).map((name) => `${file}: ${name}`));
    expect(wrong).toEqual([]);
  });
});

function commentsOf(text: string): string {
  return [...text.matchAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$|(?<=^|\s)#\s.*$/gm)]
    .map(([comment]) => comment)
    .join('\n');
}
