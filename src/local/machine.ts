// The machine that a local control plane runs on, as a parameter, which tests replace.
import { homedir } from 'node:os';

import { systemClock, type Clock } from '../lib/clock.ts';
import type { Environment } from '../lib/options/option.ts';
import { systemSecrets, type SecretSource } from '../lib/secret-text.ts';

export interface Machine {
  /** `process.platform`: `linux`, `darwin`. */
  readonly platform: string;
  /** `process.arch`: `x64`, `arm64`. */
  readonly arch: string;
  readonly environment: Environment;
  readonly homeDirectory: string;
  /** The Node executable of this process, which also runs the supervisor. */
  readonly nodePath: string;
  readonly clock: Clock;
  readonly secrets: SecretSource;
  readonly fetch: typeof fetch;
  /** Aborts long steps (a download, a build, a wait for one) with an error. */
  readonly stopping?: AbortSignal;
}

/** The members of Node's `process` that `thisMachine` reads. */
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

/** The platform in Go's terms, as in the names of release files: `linux-amd64`. */
export function platformName(machine: Pick<Machine, 'platform' | 'arch'>, separator = '-'): string {
  const arch = machine.arch === 'x64' ? 'amd64' : machine.arch;
  return `${machine.platform}${separator}${arch}`;
}
