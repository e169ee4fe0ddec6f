// Checks and previews the manifests of a pull request, for .github/actions/preview/action.yml and gitlab.yml beside this file:
// `validate`, then `plan`, whose output becomes a comment that each run updates. The settings are in the environment (settings.ts).
// Exit code: 0 valid and previewed, 1 invalid, not ready or not known, 2 changes and PREVIEW_FAIL_ON_CHANGES=true.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { cutText } from './comment-text.ts';
import { openGitHub, openGitLab } from './forge.ts';
import { commentPlace, readSettings, type Settings } from './settings.ts';
import { writeComment } from './write-comment.ts';

const program = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const { env } = process;
const isGitLab = env['GITLAB_CI'] === 'true';

/** The output `changes`, by the exit code of `plan`. */
const changes: ReadonlyMap<number, string> = new Map([
  [0, 'false'],
  [2, 'true'],
]);

/** GitHub drops a summary of more than 1 MiB. In UTF-16 units, which have up to three bytes. */
const summaryLimit = 340_000;

interface Result {
  readonly code: number;
  readonly stdout: string;
}

/** Runs the program without the settings and the token for comments; its standard error goes to the log of the job. */
async function run(...args: readonly string[]): Promise<Result> {
  const child = spawn(process.execPath, [program, ...args], {
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('PREVIEW_'))),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number | null]>]);
  return { code: code ?? 1, stdout };
}

async function validate({ paths, isStrict }: Settings): Promise<number> {
  const args = ['validate', ...flagsOf(paths), `--strict=${isStrict}`];
  // GitHub shows workflow commands beside the lines of the pull request, GitLab a report of tests.
  if (isGitLab) await writeReport('rolealerts-validate.xml', (await run(...args, '--output', 'junit')).stdout);
  const { code, stdout } = await run(...args, '--output', isGitLab ? 'text' : 'github');
  process.stdout.write(stdout);
  return code;
}

async function plan(settings: Settings): Promise<number> {
  const { paths, allowedHosts, failsOnChanges } = settings;
  const { code, stdout } = await run('plan', ...flagsOf(paths), '--allowed-hosts', allowedHosts, '--output', 'markdown');
  process.stdout.write(stdout);
  await report(settings, code, stdout === '' ? notPlanned('the plan failed. The log of the job says why.') : stdout);
  if (code === 2) return failsOnChanges ? 2 : 0;
  return code === 0 ? 0 : 1;
}

const notPlanned = (why: string) => `### rolealerts plan\n\nNot known: ${why}\n`;

/** Replaces the comment of an earlier run in any case: it may show a plan of other manifests. `code`: of `plan`. */
async function report({ id }: Settings, code: number, text: string): Promise<void> {
  await writeReport('rolealerts-plan.md', text);
  await append('GITHUB_STEP_SUMMARY', cutText(text, summaryLimit, 'a summary'));
  await append('GITHUB_OUTPUT', `changes=${changes.get(code) ?? 'unknown'}\n`);
  await comment(id, text);
}

async function comment(id: string, body: string): Promise<void> {
  const path = env['GITHUB_EVENT_PATH'];
  const event: unknown = path === undefined || path === '' ? undefined : JSON.parse(await readFile(path, 'utf8'));
  const place = commentPlace(env, event);
  if (!place) {
    say('no comment, because this is no pull request, or the pipeline has no token for comments');
    return;
  }
  const forge = place.kind === 'GitHub' ? openGitHub(place.options, fetch) : openGitLab(place.options, fetch);
  say(`comment ${await writeComment(forge, id, body)}`);
}

function say(sentence: string): void {
  process.stderr.write(`preview: ${sentence}\n`);
}

function flagsOf(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => ['--filename', path]);
}

/** The pull request may contain a file or a link of this name: it is replaced, and never followed. */
async function writeReport(name: string, content: string): Promise<void> {
  await rm(name, { force: true });
  await writeFile(name, content, { flag: 'wx' });
}

/** Appends to the file that the variable names, if there is one. */
async function append(variable: string, content: string): Promise<void> {
  const path = env[variable];
  if (path !== undefined && path !== '') await appendFile(path, content);
}

async function main(): Promise<number> {
  const settings = readSettings(env);
  const code = await validate(settings);
  if (code === 0) return settings.plans ? plan(settings) : 0;
  const why = 'the manifests are not valid. The log of the job names the problems.';
  if (settings.plans) await report(settings, code, notPlanned(why));
  return 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
