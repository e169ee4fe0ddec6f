// A host for commands that run in the process of the test: it records what they write.
import type { Host } from '../../../src/commands/host.ts';
import { noBytes, noInput } from './no-input.ts';

export interface RecordingHost {
  readonly host: Host;
  readonly written: { out: string; err: string };
}

export function recordingHost(env: Readonly<Record<string, string>> = {}, stdin?: string): RecordingHost {
  const written = { out: '', err: '' };
  const output = (name: 'out' | 'err') => ({
    write: (text: string) => void (written[name] += text),
    isTerminal: false,
    canRedraw: false,
    columns: 80,
    rows: 24,
  });
  const input = stdin === undefined ? noInput : { isTerminal: false, read: async () => Buffer.from(stdin) };
  const host: Host = {
    env,
    facts: { platform: 'linux', arch: 'x64', env, execPath: process.execPath },
    nodeVersion: 'v26.0.0',
    programFile: '/nowhere/main.ts',
    workingDirectory: '/nowhere',
    input,
    out: output('out'),
    writeBytes: noBytes,
    err: output('err'),
    stopping: new AbortController().signal,
  };
  return { host, written };
}
