// The servers of the bench as processes of their own, with the log in a file.
import { join } from 'node:path';

import { request } from 'undici';

import { startProgram, type Program } from '../programs.ts';
import type { Side } from '../sides.ts';
import { waitFor } from '../wait.ts';

export interface Started {
  readonly program: Program;
  readonly url: string;
  /** Everything printed until the URL and the expected lines after it were there. */
  readonly lines: readonly string[];
  /** From the start of the process to its first line. */
  readonly startMs: number;
}

/** `lines`: how many lines the program prints once it listens, the URL first. */
export async function startServer(folder: string, args: readonly string[], lines = 1): Promise<Started> {
  const printed: string[] = [];
  let startMs = 0;
  const program = startProgram({
    args,
    logPath: join(folder, 'log'),
    onLine: (line) => {
      startMs ||= performance.now() - program.startedMs;
      printed.push(line);
    },
  });
  const isThere = () => (printed.length >= lines ? true : undefined);
  await waitFor('a URL', { withinMs: 60_000, everyMs: 5 }, isThere);
  return { program, url: printed[0] ?? '', lines: printed, startMs };
}

export const sourceFile = (path: string) => new URL(path, import.meta.url).pathname;

const benchClient = { id: 'bench', secret: 'a-secret-of-the-bench-only' };

/** The service of a side with the default log, without a limit for one caller, and without flags of Node, like the servers next to it. */
export function startService(
  folder: string,
  side: Side,
  dataFile: string,
  more: readonly string[] = [],
): Promise<Started> {
  return startServiceOn(folder, side, ['--data', dataFile, ...more]);
}

/** `state` are the flags of the state, and further flags. */
export function startServiceOn(folder: string, { operatorFile }: Side, state: readonly string[]): Promise<Started> {
  const client = `${benchClient.id}:${benchClient.secret}`;
  const serve = ['serve', ...state, '--client', client, '--rate-limit', '0'];
  return startServer(folder, [operatorFile, ...serve]);
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
