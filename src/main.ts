#!/usr/bin/env node
// The entry point: maps argv to an exit code. The only reader of `process`; other modules get their dependencies as parameters.
// It loads the program dynamically, so that an old Node prints one error message instead of a syntax error.
import { addAbortSignal } from 'node:stream';

import type { Host } from './commands/host.ts';
import { keepProcessAlive, systemClock } from './lib/clock.ts';
import { StoppedError } from './lib/errors.ts';
import { missingPackage } from './lib/missing-package.ts';
import type { Output } from './lib/output.ts';

const leastNodeMajor = 24;

/** Time that the readers of the output have to take the rest after a stop signal. */
const unreadOutputGraceMs = 500;

function refuse(message: string): never {
  process.stderr.write(`rolealerts: ${message}\n`);
  process.exit(1);
}

if (Number(process.versions.node.split('.')[0]) < leastNodeMajor) {
  refuse(
    `Node ${leastNodeMajor} or newer is required, but this is ${process.version}. In a checkout, use npm run -s rolealerts.`,
  );
}

/** Why the data could not be written, for example because a disk is full. */
let lostData: NodeJS.ErrnoException | undefined;

function output(stream: NodeJS.WriteStream): Output {
  // The reader of a pipe may close it, as `| head -1` does. Ignore that error, so that a service continues without output.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (stream === process.stdout && error.code !== 'EPIPE') lostData ??= error;
  });
  return {
    write: (text) => void stream.write(text),
    backlog: {
      get bytes() {
        return stream.writableLength;
      },
      onceTaken: (callback) => void stream.once('drain', callback),
    },
    isTerminal: stream.isTTY,
    canRedraw: stream.isTTY && process.env['TERM'] !== 'dumb',
    ...(stream.isTTY && { onResize: (callback) => listenToResize(stream, callback) }),
    // A terminal whose size was never set has none: 0 by 0.
    get columns() {
      return stream.columns || 80;
    },
    get rows() {
      return stream.rows || 24;
    },
  };
}

function listenToResize(stream: NodeJS.WriteStream, callback: () => void): () => void {
  stream.on('resize', callback);
  return () => void stream.off('resize', callback);
}

/** Throws `StoppedError` at a stop signal, which must not wait for the end of the input. */
async function readInput(limitBytes: number): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  let length = 0;
  const input: AsyncIterable<Buffer> = addAbortSignal(stopping, process.stdin);
  try {
    for await (const piece of input) {
      pieces.push(piece);
      length += piece.length;
      if (length > limitBytes) break;
    }
  } catch (cause) {
    throw stopping.aborted ? new StoppedError('The input was not read to its end.', { cause }) : cause;
  }
  return Buffer.concat(pieces);
}

function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  const onSignal = () => {
    if (stopping.signal.aborted) process.exit(1);
    stopping.abort();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return stopping.signal;
}

function writeBytes(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

/** A pipe that no program reads would keep the process alive. Without a stop signal it may: `| less` reads as its user does. */
function leaveUnreadOutput(): void {
  if (stopping.aborted) systemClock.setTimer(unreadOutputGraceMs, () => process.exit());
}

/** The last write ends after the command: the exit code of a redirection to a full disk must not be 0. */
function failOnLostData(): void {
  process.on('exit', () => {
    if (!lostData) return;
    process.stderr.write(`rolealerts: Cannot write to standard output: ${lostData.message}.\n`);
    process.exitCode = 1;
  });
}

const stopping = stopSignal();

const host: Host = {
  env: process.env,
  facts: { platform: process.platform, arch: process.arch, env: process.env, execPath: process.execPath },
  nodeVersion: process.version,
  // In an executable, argv has the file behind a link.
  programFile: (process.getBuiltinModule('node:sea').isSea() ? process.argv0 : process.argv[1]) ?? '',
  workingDirectory: process.cwd(),
  input: {
    // Opening it takes some milliseconds, and most commands never read it.
    get isTerminal() {
      return process.stdin.isTTY;
    },
    read: readInput,
  },
  out: output(process.stdout),
  writeBytes,
  err: output(process.stderr),
  stopping,
};

failOnLostData();
const { runProgram } = await import('./commands/program.ts').catch((error: unknown) => {
  const missing = missingPackage(error);
  if (missing === undefined) throw error;
  return refuse(missing);
});
// A command may wait without a socket or a timer that keeps the process alive, for the rate limit of a connection, say.
process.exitCode = await keepProcessAlive(() => runProgram(process.argv.slice(2), host));
leaveUnreadOutput();
