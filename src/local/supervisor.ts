// A separate program: the parent of the processes of one control plane. It has a channel to its owner. When the channel breaks, because the
// owner closed it or died of whatever, it kills its children, deletes their data and exits. After the message `stay` it outlives the owner and
// exits on SIGTERM. It uses SIGKILL on purpose: the data of a local control plane is not kept, and an API server with open watches takes a
// minute to stop gracefully.
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';

/** One program of the control plane. */
export interface Program {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  /** The file to append standard output and standard error to. */
  readonly logPath: string;
}

/** The program to start, or `stay`: outlive the owner. */
export type ToSupervisor = Program | 'stay';

export type FromSupervisor =
  | { readonly kind: 'started'; readonly name: string; readonly pid: number }
  | { readonly kind: 'exited'; readonly name: string; readonly how: string }
  | { readonly kind: 'staying' };

function supervise(host: NodeJS.Process, dataDirectory: string): void {
  const children = new Map<string, ChildProcess>();
  let isStaying = false;
  let ending: { readonly keepsData: boolean } | undefined;
  const send = (message: FromSupervisor) => {
    if (host.connected) host.send?.(message, undefined, undefined, () => undefined);
  };
  const exitWithoutChildren = () => {
    if (!ending || children.size > 0) return;
    if (!ending.keepsData) rmSync(dataDirectory, { recursive: true, force: true, maxRetries: 5 });
    host.exit(0);
  };
  const end = (keepsData: boolean) => {
    ending ??= { keepsData };
    for (const child of children.values()) child.kill('SIGKILL');
    exitWithoutChildren();
  };
  const exited = (name: string, how: string) => {
    children.delete(name);
    send({ kind: 'exited', name, how });
    exitWithoutChildren();
    // A detached control plane that lost a program is useless: stop the rest, and keep the logs.
    if (isStaying) end(true);
  };
  const start = ({ name, file, args, logPath }: Program) => {
    const log = openSync(logPath, 'a', 0o600);
    const child = spawn(file, args, { stdio: ['ignore', log, log], cwd: dataDirectory });
    closeSync(log);
    child.once('error', (error) => exited(name, error.message));
    child.once('exit', (code, signal) => exited(name, code === null ? `signal ${signal}` : `exit code ${code}`));
    if (child.pid === undefined) return;
    children.set(name, child);
    send({ kind: 'started', name, pid: child.pid });
  };
  host.on('message', (message: ToSupervisor) => {
    if (ending) return;
    if (message !== 'stay') return start(message);
    isStaying = true;
    send({ kind: 'staying' });
  });
  host.on('disconnect', () => (isStaying ? undefined : end(false)));
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) host.on(signal, () => end(false));
}

const dataDirectory = process.argv[2];
if (dataDirectory && process.connected) supervise(process, dataDirectory);
else process.exitCode = 2;
