// A program of its own: the parent of the processes of one control plane. It holds a channel to the owner, and when that
// breaks, whatever ended the owner, it kills its children, deletes their data and ends. Told to stay, it outlives the
// owner and ends on SIGTERM. It knows nothing about Kubernetes.
// SIGKILL is meant: nothing of a local control plane is kept, and an API server with open watches takes a minute to
// stop in an orderly way.
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';

import type { FromSupervisor, Program, ToSupervisor } from './supervisor-messages.ts';

function supervise(host: NodeJS.Process, dataDirectory: string): void {
  const children = new Map<string, ChildProcess>();
  const stopping = new Set<string>();
  let isStaying = false;
  let ending: { readonly keepsData: boolean } | undefined;

  const tell = (message: FromSupervisor) => {
    if (host.connected) host.send?.(message, undefined, undefined, () => undefined);
  };
  const leaveWhenAlone = () => {
    if (!ending || children.size > 0) return;
    if (!ending.keepsData) rmSync(dataDirectory, { recursive: true, force: true, maxRetries: 5 });
    host.exit(0);
  };
  const end = (keepsData: boolean) => {
    ending ??= { keepsData };
    for (const child of children.values()) child.kill('SIGKILL');
    leaveWhenAlone();
  };
  const exited = (name: string, how: string) => {
    const isExpected = stopping.delete(name);
    children.delete(name);
    tell({ kind: 'exited', name, how });
    leaveWhenAlone();
    // Half a control plane helps nobody; its logs stay and say why.
    if (isStaying && !isExpected) end(true);
  };
  const start = (program: Program) => {
    const log = openSync(program.logPath, 'a', 0o600);
    const child = spawn(program.file, program.args, { stdio: ['ignore', log, log], cwd: dataDirectory });
    closeSync(log);
    child.once('error', (error) => exited(program.name, error.message));
    child.once('exit', (code, signal) =>
      exited(program.name, code === null ? `signal ${signal}` : `exit code ${code}`),
    );
    if (child.pid === undefined) return;
    children.set(program.name, child);
    tell({ kind: 'started', name: program.name, pid: child.pid });
  };
  const stop = (name: string, graceMs: number) => {
    const child = children.get(name);
    if (!child) return;
    stopping.add(name);
    child.kill('SIGTERM');
    const kill = setTimeout(() => child.kill('SIGKILL'), graceMs);
    child.once('exit', () => clearTimeout(kill));
  };
  const obey = (message: ToSupervisor) => {
    if (ending) return;
    if (message.kind === 'start') start(message.program);
    else if (message.kind === 'stop') stop(message.name, message.graceMs);
    else if (message.kind === 'end') end(false);
    else {
      isStaying = true;
      tell({ kind: 'staying' });
    }
  };

  host.on('message', obey);
  host.on('disconnect', () => {
    if (!isStaying) end(false);
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) host.on(signal, () => end(false));
}

const dataDirectory = process.argv[2];
if (dataDirectory && process.connected) supervise(process, dataDirectory);
else process.exitCode = 2;
