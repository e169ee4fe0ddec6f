// `npm run check:reports`: checks SARIF reports against the schema of OASIS. It takes the schema from a Go module that carries it
// (reports/go.mod), so it is not part of `npm test`, which checks them against the part of SARIF in test/fixtures/reports/.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Ajv } from 'ajv';

import { problemSarif } from '../../../src/commands/findings/problem-report.ts';
import { runCommand } from '../../../src/local/run-command.ts';
import { oddProblems } from '../../support/builders/odd-problems.ts';

const carrier = 'github.com/owenrumney/go-sarif/v3';
const fetchWithinMs = 10 * 60_000;

/** The folder of the module, which Go fetches when it is missing. */
async function fetchModule(): Promise<string> {
  const { exitCode, stdout, stderr } = await runCommand('go', ['mod', 'download', '-json', carrier], {
    environment: { ...process.env, GOFLAGS: '', GOWORK: 'off' },
    directory: fileURLToPath(new URL('reports/', import.meta.url)),
    deadlineMs: fetchWithinMs,
  });
  if (exitCode !== 0) throw new Error(`go mod download failed: ${stderr}${stdout}`);
  return (JSON.parse(stdout) as { Dir: string }).Dir;
}

/** The schema is the only raw text of its Go file. Draft 4 and draft 7 differ in the members that are dropped here. */
async function readSchema(): Promise<object> {
  const source = await readFile(join(await fetchModule(), 'pkg/report/v210/sarif/schema.go'), 'utf8');
  const { $schema: _, id, ...schema } = JSON.parse(source.split('`')[1] ?? '') as Record<string, unknown>;
  console.log(`schema: ${String(id)}`);
  return schema;
}

const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(await readSchema());
for (const [name, problems] of Object.entries({ 'no problem': [], 'odd problems': oddProblems })) {
  const isValid = validate(JSON.parse(problemSarif(problems, '1.2.3')));
  console.log(`SARIF of ${name}: ${isValid ? 'follows the schema' : 'does not follow the schema'}`);
  for (const { instancePath, message } of validate.errors ?? []) console.log(`  ${instancePath} ${message}`);
  if (!isValid) process.exitCode = 1;
}
