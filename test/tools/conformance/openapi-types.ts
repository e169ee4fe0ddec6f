// Generates the types of the contract tests' client from the OpenAPI description: `node test/tools/conformance/openapi-types.ts`.
// openapi-typescript needs the compiler API of TypeScript 5, which the TypeScript of this project does not have, so it is
// fetched when this script runs and is not among the dependencies. A test says when the types are older than the description.
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describedDocument, fingerprintOf } from '../../support/checks/openapi-fingerprint.ts';

const output = new URL('../../fixtures/service/openapi-types.ts', import.meta.url).pathname;
const packages = ['--package', 'openapi-typescript@7.13.0', '--package', 'typescript@5.9.3'];

/** Without the types for parts that the description does not have. */
function withoutEmpty(types: string): string {
  return types.replaceAll(/^export type \S+ = Record<string, never>;\n/gm, '');
}

const folder = await mkdtemp(join(tmpdir(), 'rolealerts-types-'));
try {
  const [input, generated] = [join(folder, 'openapi.json'), join(folder, 'types.ts')];
  await writeFile(input, JSON.stringify(describedDocument));
  execFileSync('npx', ['--yes', ...packages, 'openapi-typescript', input, '--output', generated], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const head = [
    `// Made by test/tools/conformance/openapi-types.ts; fingerprint ${fingerprintOf(describedDocument)}`,
    '/* oxlint-disable typescript/no-redundant-type-constituents -- an open enumeration is a union with text */',
    '',
  ].join('\n');
  await writeFile(output, head + withoutEmpty(await readFile(generated, 'utf8')));
} finally {
  await rm(folder, { recursive: true });
}
execFileSync('oxfmt', [output]);
