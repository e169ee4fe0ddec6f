// The real program as a process, for the clients of this folder: it listens on a free port of loopback until it is stopped.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export const fileOf = (path: string) => new URL(`../../../${path}`, import.meta.url).pathname;

export interface RunningService {
  /** The base URL of section 4. */
  readonly url: string;
  stop(): Promise<void>;
}

/** `args` are those of `rolealerts serve`. The first line on standard output is the URL. */
export async function startService(args: readonly string[]): Promise<RunningService> {
  const all = [fileOf('src/main.ts'), 'serve', '--listen=127.0.0.1:0', '--print=url', '--log-level=error', ...args];
  const child = spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [url] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error('The service ended before it listened.'))),
  ])) as [string];
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  return { url, stop };
}
