// Runs schemathesis, an independent fuzzer, against the real program with all of its checks on, and exits by what it finds:
// `node test/tools/conformance/schemathesis.ts [flags of schemathesis run]`, for example `--max-examples 1000`.
// It is a Python program, so it is not among the dependencies and not part of `npm test`.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createPythonEnvironment } from './python-environment.ts';
import { fileOf, startService } from './running-service.ts';

const packages = ['schemathesis==4.32.5'];

/** The first scope of the seed. With two alerts a page it has a second one. */
const scope = 'subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590';
const listTarget = `/${encodeURIComponent(scope)}/providers/Vendor.Authorization/roleManagementAlerts?api-version=2022-08-01-preview`;

interface Run {
  readonly title: string;
  readonly hasToken: boolean;
  /** What is set for one operation (schemathesis.toml). */
  readonly operation: string;
}

/** Together they leave out nothing: what one run has to allow or to fix, another one does not. */
function runsOf(skipToken: string): readonly Run[] {
  return [
    {
      title: 'any request; a skip token cannot be made up, so a list may be refused for it',
      hasToken: true,
      operation: `checks.positive_data_acceptance.expected-statuses = [${[...accepted, '"400"'].join(', ')}]`,
    },
    {
      title: 'the second page of a scope that exists',
      hasToken: true,
      operation: `parameters = { scope = "${scope}", skipToken = "${skipToken}" }`,
    },
    { title: 'the caller is anonymous', hasToken: false, operation: '' },
  ];
}

/**
 * Two are in both: 431, because a thousand characters of a scope are 12,000 bytes when each has to be encoded, and 429, because three
 * hundred wrong tokens in a minute close the address of the run to further ones.
 */
const accepted = ['"2xx"', '"401"', '"403"', '"404"', '"429"', '"431"'];
const rejected = ['"400"', '"401"', '"403"', '"404"', '"405"', '"413"', '"415"', '"429"', '"431"'];

/** Links are those of the description: a guessed one takes the whole resource id for the alertId. */
function configOf({ operation }: Run): string {
  const ofList = operation === '' ? '' : `[[operations]]\ninclude-operation-id = "listAlerts"\n${operation}`;
  return `
[phases.stateful]
inference.algorithms = []
[checks]
positive_data_acceptance.expected-statuses = [${accepted.join(', ')}]
negative_data_rejection.expected-statuses = [${rejected.join(', ')}]
${ofList}
`;
}

async function readSkipToken(url: string, token: string): Promise<string> {
  const answer = await fetch(`${url}${listTarget}`, { headers: { authorization: `Bearer ${token}` } });
  const { nextLink = '' } = (await answer.json()) as { nextLink?: string };
  return new URL(nextLink).searchParams.get('skipToken') ?? '';
}

/** The exit code. What schemathesis writes beside its report goes into `folder`. */
async function runSchemathesis(programs: string, folder: string, args: readonly string[]): Promise<number> {
  const all = ['--config-file', join(folder, configFile), 'run', '--checks', 'all', '--generation-database', 'none'];
  const child = spawn(join(programs, 'schemathesis'), [...all, ...args], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

const configFile = 'schemathesis.toml';
const token = randomBytes(16).toString('hex');
const folder = await mkdtemp(join(tmpdir(), 'rolealerts-conformance-'));
try {
  const programs = await createPythonEnvironment(join(folder, 'python'), packages);
  const seed = `--seed=${fileOf('test/fixtures/service/four-kinds.yaml')}`;
  const service = await startService(['--page-size=2', seed, `--static-token=${token}`]);
  try {
    process.exitCode = await runAll(service.url, programs);
  } finally {
    await service.stop();
  }
} finally {
  await rm(folder, { recursive: true });
}

/** The exit code of the first run with findings; 0 without any. */
async function runAll(url: string, programs: string): Promise<number> {
  for (const run of runsOf(await readSkipToken(url, token))) {
    await writeFile(join(folder, configFile), configOf(run));
    console.log(`\n### ${run.title}\n`);
    const header = run.hasToken ? ['--header', `Authorization: Bearer ${token}`] : [];
    const args = [`${url}/openapi.json`, ...header, ...process.argv.slice(2)];
    const code = await runSchemathesis(programs, folder, args);
    if (code !== 0) return code;
  }
  return 0;
}
