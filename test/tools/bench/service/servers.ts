// The servers of the bench as processes of their own, with the log in a file. Each runs as the Deployment runs the service, on a core of
// its own beside that of the client: on a shared core the 99th percentile measures the scheduler.
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { request } from 'undici';

import { type Program, startProgram, waitFor } from '../programs.ts';
import type { Side } from '../sides.ts';

export interface Started {
  readonly program: Program;
  readonly url: string;
  /** Everything printed until the URL and the expected lines after it were there. */
  readonly lines: readonly string[];
}

/** Those of deploy/alerts-service/deployment.yaml. */
const nodeFlags = ['--max-semi-space-size=4'];

/** `core`: the number of the core, for all threads of the process that exist and that it starts later. */
function pin(pid: number, core: number): void {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(core), String(pid)], { stdio: 'ignore' });
}

/**
 * Lets the threads of a server go before those of other programs and of the kernel, one of which takes a core for 2 ms some times a second
 * and would decide the 99th percentile. Without the permission (CAP_SYS_NICE) the figures include them.
 */
function prefer(pid: number): void {
  spawnSync('renice', ['--priority', '-20', '--pid', ...readdirSync(`/proc/${pid}/task`)], { stdio: 'ignore' });
}

/** Keeps the client away from the core of the servers. */
export function pinClient(): void {
  pin(process.pid, 1);
}

/** `lines`: how many lines the program prints once it listens, the URL first. */
export async function startServer(folder: string, args: readonly string[], lines = 1): Promise<Started> {
  const printed: string[] = [];
  const program = startProgram({
    args: [...nodeFlags, ...args],
    logPath: join(folder, 'log'),
    onLine: (line) => void printed.push(line),
  });
  pin(program.pid, 0);
  prefer(program.pid);
  const isThere = () => (printed.length >= lines ? true : undefined);
  await waitFor('a URL', { withinMs: 60_000, everyMs: 5 }, isThere);
  return { program, url: printed[0] ?? '', lines: printed };
}

export const sourceFile = (path: string) => new URL(path, import.meta.url).pathname;

const benchClient = { id: 'bench', secret: 'a-secret-of-the-bench-only' };

/** The service of a side with the default log and without a limit for one caller. */
export function startService(
  folder: string,
  { operatorFile }: Side,
  dataFile: string,
  seedFile: string,
): Promise<Started> {
  const client = `${benchClient.id}:${benchClient.secret}`;
  const state = ['--data', dataFile, '--seed', seedFile];
  return startServer(folder, [operatorFile, 'serve', ...state, '--client', client, '--rate-limit', '0']);
}

/** An access token of the service. */
export async function requestToken(url: string): Promise<string> {
  const { id, secret } = benchClient;
  const response = await request(`${url}/common/oauth2/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  });
  const { access_token: token } = (await response.body.json()) as { access_token: string };
  return token;
}

/** What the sections share. */
export interface ServiceBench {
  /** For data files and logs; removed at the end. */
  readonly folder: string;
  /** This checkout is the first. */
  readonly sides: readonly [Side, ...Side[]];
  readonly rounds: number;
}
