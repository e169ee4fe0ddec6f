// A separate program: the parent of the processes of one control plane. It keeps a channel to its owner. When the channel
// breaks, for whatever reason the owner died, it kills its children, deletes their data and exits. After the message `stay` it
// outlives the owner and exits on SIGTERM. Nothing here is specific to Kubernetes.
// It uses SIGKILL on purpose: the data of a local control plane is not kept, and an API server with open watches takes a
// minute to stop gracefully.
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';

import type { FromSupervisor, Program, ToSupervisor } from './supervisor-messages.ts';

function supervise(host: NodeJS.Process, dataDirectory: string): void {
  const children = new Map<string, ChildProcess>();
  const stopping = new Set<string>();
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
    const isExpected = stopping.delete(name);
    children.delete(name);
    send({ kind: 'exited', name, how });
    exitWithoutChildren();
    // A detached control plane that lost a program is useless: stop the rest, and keep the logs.
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
    send({ kind: 'started', name: program.name, pid: child.pid });
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
      send({ kind: 'staying' });
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
