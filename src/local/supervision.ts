// The owner's side of the supervisor: starts it and talks to it. See supervisor.ts for what it promises.
import { fork, type ChildProcess } from 'node:child_process';
import { existsSync, openSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { sleep } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import type { Machine } from './machine.ts';
import type { FromSupervisor, Program, ToSupervisor } from './supervisor-messages.ts';

export interface Supervision {
  readonly pid: number;
  /** Starts a program and gives its process id. Throws `OperatorError` `local` when it cannot be started. */
  start(program: Program): Promise<number>;
  /** SIGTERM, and SIGKILL after `graceMs`; resolves when the program is gone. */
  stop(name: string, graceMs: number): Promise<void>;
  /** How the program ended; undefined while it runs. */
  endOf(name: string): string | undefined;
  /** Lets everything outlive this process. Nothing else can be asked afterwards. */
  detach(): Promise<void>;
  /** Kills every program, deletes the data folder, and resolves when the supervisor is gone. Repetition is harmless. */
  end(): Promise<void>;
}

const endWithinMs = 5000;

/** The supervisor leads a process group of its own, so that Ctrl-C in a terminal reaches the owner only. */
export function startSupervision(machine: Machine, dataDirectory: string): Supervision {
  const child = forkSupervisor(machine, dataDirectory);
  const pid = child.pid;
  child.on('error', () => undefined);
  if (pid === undefined) throw new OperatorError('local', 'Cannot start the supervisor of the control plane');
  const ends = new Map<string, string>();
  let isOurs = true;
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      if (isOurs) killGroup(pid);
      resolve();
    });
  });
  child.on('message', (message: FromSupervisor) => {
    if (message.kind === 'exited') ends.set(message.name, message.how);
  });
  const tell = (message: ToSupervisor) => {
    // The channel of a supervisor that died is closed; whoever waits for its answer hears that from `answerFrom`.
    if (child.connected) child.send(message, () => undefined);
  };
  let ended: Promise<void> | undefined;
  return {
    pid,
    async start(program) {
      ends.delete(program.name);
      const answer = answerFrom(child, (message) => message.kind !== 'staying' && message.name === program.name);
      tell({ kind: 'start', program });
      const message = await answer;
      if (message.kind === 'started') return message.pid;
      throw new OperatorError('local', `Cannot start ${program.name}: ${ends.get(program.name) ?? 'no reason given'}`);
    },
    async stop(name, graceMs) {
      if (ends.has(name)) return;
      const answer = answerFrom(child, (message) => message.kind === 'exited' && message.name === name);
      tell({ kind: 'stop', name, graceMs });
      await answer;
    },
    endOf: (name) => (child.exitCode === null ? ends.get(name) : (ends.get(name) ?? 'the supervisor ended')),
    async detach() {
      const answer = answerFrom(child, (message) => message.kind === 'staying');
      tell({ kind: 'stay' });
      await answer;
      isOurs = false;
      child.disconnect();
      child.unref();
    },
    end: () => (ended ??= endSupervisor(machine, child, exited, tell)),
  };
}

function forkSupervisor(machine: Machine, dataDirectory: string): ChildProcess {
  const program = fileURLToPath(new URL('supervisor.ts', import.meta.url));
  if (!existsSync(program)) {
    throw new OperatorError(
      'local',
      'A local control plane needs a checkout of rolealerts; the bundle has no supervisor',
    );
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

/** The first message that `matches`. Rejects when the supervisor ends first. */
function answerFrom(child: ChildProcess, matches: (message: FromSupervisor) => boolean): Promise<FromSupervisor> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      child.off('message', hear);
      child.off('exit', fail);
      child.off('error', fail);
    };
    const hear = (message: FromSupervisor) => {
      if (!matches(message)) return;
      settle();
      resolve(message);
    };
    const fail = () => {
      settle();
      reject(new OperatorError('local', 'The supervisor of the control plane ended unexpectedly'));
    };
    child.on('message', hear);
    child.on('exit', fail);
    child.on('error', fail);
    if (child.exitCode !== null || child.signalCode !== null) fail();
  });
}

async function endSupervisor(
  machine: Machine,
  child: ChildProcess,
  exited: Promise<void>,
  tell: (message: ToSupervisor) => void,
): Promise<void> {
  tell({ kind: 'end' });
  await Promise.race([exited, sleep(machine.clock, endWithinMs).then(() => killGroup(child.pid ?? 0))]);
  await exited;
}

/** What a supervisor that was itself killed leaves behind. Its group keeps the number while a member lives. */
function killGroup(pid: number): void {
  if (pid <= 1) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody left: the usual case.
  }
}
