// The processes of a soak: two services that share a schema, each on a port of its own, which a restart keeps.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { freePort } from '../../support/servers/free-port.ts';

const program = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

export interface ServiceProcess {
  readonly url: string;
  /** Messages of its log above the level of information, with their counts; of all its starts. */
  readonly messages: ReadonlyMap<string, number>;
  /** Scans that its log has. */
  readonly scans: () => number;
  start(): Promise<void>;
  /** Without a chance to write. */
  kill(): Promise<void>;
  residentMiB(): Promise<number>;
}

interface LogLine {
  readonly level?: string;
  readonly msg?: string;
  readonly error?: string;
}

/** `options` are those of `rolealerts serve`. */
export async function createServiceProcess(options: readonly string[], databaseURL: string): Promise<ServiceProcess> {
  const listen = `127.0.0.1:${await freePort()}`;
  const messages = new Map<string, number>();
  let scans = 0;
  let child: ChildProcess | undefined;

  const read = (line: string) => {
    const { level, msg = '', error } = parseLine(line);
    if (msg === 'role assignments scanned') scans += 1;
    if (level === 'info' || level === 'debug') return;
    const message = [level, msg, error].filter(Boolean).join(': ');
    messages.set(message, (messages.get(message) ?? 0) + 1);
  };

  return {
    url: `http://${listen}`,
    messages,
    scans: () => scans,
    async start() {
      const args = [program, 'serve', '--listen', listen, '--print=url', ...options];
      const env = { ...process.env, ROLEALERTS_DATABASE: databaseURL };
      child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
      if (child.stderr) createInterface(child.stderr).on('line', read);
      const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`a service ended with ${code}`)));
      // The first line says that it listens.
      await Promise.race([once(child.stdout ?? child, 'data'), ended]);
      ended.catch(() => undefined);
    },
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
    async residentMiB() {
      const status = await readFile(`/proc/${child?.pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
    },
  };
}

/** A line of a crash is not JSON. */
function parseLine(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return { level: 'error', msg: line };
  }
}
