// A host for commands that run in the process of the test: it records what they write.
import type { Host, Input } from '../../../src/commands/host.ts';

/** Standard input that has ended. */
export const noInput: Input = { isTerminal: false, read: async () => new Uint8Array() };

export const noBytes: Host['writeBytes'] = () => Promise.reject(new Error('This host takes no bytes.'));

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
