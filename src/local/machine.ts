// The machine a local control plane runs on, as a parameter: tests pass another one.
import { homedir } from 'node:os';

import { systemClock, type Clock } from '../lib/clock.ts';
import { systemSecrets, type SecretSource } from '../lib/secret-source.ts';

export interface Machine {
  /** Node's word: `linux`, `darwin`. */
  readonly platform: string;
  /** Node's word: `x64`, `arm64`. */
  readonly arch: string;
  readonly environment: Environment;
  readonly homeDirectory: string;
  /** The Node that runs this program; the supervisor runs on the same one. */
  readonly nodePath: string;
  readonly clock: Clock;
  readonly secrets: SecretSource;
  readonly fetch: typeof fetch;
  /** Ends what takes long (a download, a build, a wait for one) with an error. Absent: nothing does. */
  readonly stopping?: AbortSignal;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** What `thisMachine` reads of Node's `process`. */
export interface ProcessFacts {
  readonly platform: string;
  readonly arch: string;
  readonly env: Environment;
  readonly execPath: string;
}

export function thisMachine(facts: ProcessFacts): Machine {
  return {
    platform: facts.platform,
    arch: facts.arch,
    environment: facts.env,
    homeDirectory: homedir(),
    nodePath: facts.execPath,
    clock: systemClock,
    secrets: systemSecrets,
    fetch: (...request) => fetch(...request),
  };
}

/** The platform in Go's words, as the names of release files have it: `linux-amd64`. */
export function platformName(machine: Pick<Machine, 'platform' | 'arch'>, separator = '-'): string {
  const arch = machine.arch === 'x64' ? 'amd64' : machine.arch;
  return `${machine.platform}${separator}${arch}`;
}
