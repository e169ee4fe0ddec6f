// The owner's side of the supervisor (supervisor.ts): starts it and exchanges messages with it.
import { fork, type ChildProcess } from 'node:child_process';
import { on } from 'node:events';
import { existsSync, openSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { LocalError } from '../lib/command-errors.ts';
import type { Machine } from './machine.ts';
import { killGroup, sendSignal } from './run-command.ts';
import type { FromSupervisor, Program, ToSupervisor } from './supervisor.ts';

export interface Supervision {
  readonly pid: number;
  /** Starts a program and resolves with its process id. Throws `LocalError` when it cannot start. */
  start(program: Program): Promise<number>;
  /** Sends SIGTERM, and SIGKILL after `graceMs`; resolves when the program has exited. */
  stop(name: string, graceMs: number): Promise<void>;
  /** The exit code or signal of an exited program, as text; undefined while it runs. */
  endOf(name: string): string | undefined;
  /** Lets all programs outlive this process. Call no other method afterwards. */
  detach(): Promise<void>;
  /** Kills every program, deletes the data folder, and resolves when the supervisor has exited. Idempotent. */
  end(): Promise<void>;
}

const endWithinMs = 5000;

/** Starts the supervisor in its own process group, so that Ctrl-C in a terminal reaches the owner only. */
export function startSupervision(machine: Machine, dataDirectory: string): Supervision {
  const child = forkSupervisor(machine, dataDirectory);
  const { pid } = child;
  child.on('error', () => undefined);
  if (pid === undefined) throw new LocalError('Cannot start the supervisor of the control plane');
  const pids = new Map<string, number>();
  const ends = new Map<string, string>();
  let isOurs = true;
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      // The remaining programs of a killed supervisor.
      if (isOurs) killGroup(pid);
      resolve();
    });
  });
  child.on('message', (message: FromSupervisor) => {
    if (message.kind === 'exited') ends.set(message.name, message.how);
  });
  const send = (message: ToSupervisor) => {
    // A dead supervisor has closed its channel; `answerFrom` then rejects.
    if (child.connected) child.send(message, () => undefined);
  };
  return {
    pid,
    async start(program) {
      ends.delete(program.name);
      const answer = answerFrom(child, (message) => message.kind !== 'staying' && message.name === program.name);
      send(program);
      const message = await answer;
      if (message.kind !== 'started')
        throw new LocalError(`Cannot start ${program.name}: ${ends.get(program.name) ?? 'no reason given'}`);
      pids.set(program.name, message.pid);
      return message.pid;
    },
    async stop(name, graceMs) {
      const started = pids.get(name);
      if (started === undefined || ends.has(name)) return;
      const answer = answerFrom(child, (message) => message.kind === 'exited' && message.name === name);
      sendSignal(started, 'SIGTERM');
      const kill = machine.clock.setTimer(graceMs, () => sendSignal(started, 'SIGKILL'));
      await answer.finally(() => kill.cancel());
    },
    endOf: (name) => ends.get(name) ?? (child.exitCode === null ? undefined : 'the supervisor exited'),
    async detach() {
      const answer = answerFrom(child, (message) => message.kind === 'staying');
      send('stay');
      await answer;
      isOurs = false;
      child.disconnect();
      child.unref();
    },
    async end() {
      if (child.connected) child.disconnect();
      const kill = machine.clock.setTimer(endWithinMs, () => killGroup(pid));
      await exited.finally(() => kill.cancel());
    },
  };
}

function forkSupervisor(machine: Machine, dataDirectory: string): ChildProcess {
  const program = fileURLToPath(new URL('supervisor.ts', import.meta.url));
  if (!existsSync(program)) {
    throw new LocalError('A local control plane needs a checkout of rolealerts; the bundle has no supervisor');
  }
  const log = openSync(join(dataDirectory, 'supervisor.log'), 'a', 0o600);
  try {
    return fork(program, [dataDirectory], {
      detached: true,
      execPath: machine.nodePath,
      execArgv: [],
      env: { PATH: machine.environment['PATH'], HOME: machine.homeDirectory },
      stdio: ['ignore', log, log, 'ipc'],
    });
  } finally {
    closeSync(log);
  }
}

/** Resolves with the first message that `matches`. Rejects when the supervisor exits first. */
async function answerFrom(child: ChildProcess, matches: (message: FromSupervisor) => boolean): Promise<FromSupervisor> {
  if (child.exitCode === null && child.signalCode === null) {
    const messages = on(child, 'message', { close: ['exit'] }) as AsyncIterable<[FromSupervisor]>;
    for await (const [message] of messages) if (matches(message)) return message;
  }
  throw new LocalError('The supervisor of the control plane exited unexpectedly');
}
