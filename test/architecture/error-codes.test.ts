// The codes of the errors: each belongs to one edge, and src/README.md says what each one means.
import { globSync, readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { errorOf, errorCodes } from '../support/builders/errors.ts';

const page = readFileSync('src/README.md', 'utf8');
const section = page.slice(page.indexOf('## Errors'), page.indexOf('## Rules that tests keep'));

/** In the paragraph before a table: `AlertsError` (`alerts/alerts-error.ts`). Or in a row: the same, in its second cell. */
const className = /`(\w+Error)` \(`/;
const codesIn = (text: string) => [...text.matchAll(/`([a-z-]+)`/g)].map(([, code = '']) => code);

/** `class code`, for each code of the tables. */
function documented(): string[] {
  let edge = '';
  return section.split('\n').flatMap((line) => {
    const [, first = '', second = ''] = line.startsWith('|') ? line.split('|') : [];
    if (first === '') edge = className.exec(line)?.[1] ?? edge;
    const owner = className.exec(second)?.[1] ?? edge;
    return codesIn(first).map((code) => `${owner} ${code}`);
  });
}

describe('the codes of errors', () => {
  it('are all in src/README.md, with the class of their edge', () => {
    const declared = errorCodes.map((code) => `${errorOf(code, 'x').name} ${code}`);
    expect(documented().sort()).toEqual(declared.sort());
  });

  it('belong to one edge each', () => {
    expect(new Set(errorCodes).size).toBe(errorCodes.length);
    const classes = globSync('src/**/*.ts').flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/class (\w+) extends CodedError\b/g)].map(([, name = '']) => name),
    );
    expect(new Set(errorCodes.map((code) => errorOf(code, 'x').name))).toEqual(new Set(classes));
  });

  it('are what the source branches on: no file matches the text of a message', () => {
    const matching = /\bmessage\.(?:includes|startsWith|endsWith|match|search|indexOf)\(|\.test\(\w*[mM]essage/;
    const files = globSync('src/**/*.ts').filter((file) => matching.test(readFileSync(file, 'utf8')));
    // It leaves out the message of a cause that is in the text already.
    expect(files).toEqual(['src/lib/errors.ts']);
  });
});
