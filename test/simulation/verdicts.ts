// The oracles of every run, and their reports.
import { accessOracle } from './oracles/access.ts';
import { attributionOracle } from './oracles/attribution.ts';
import { boundsOracle } from './oracles/bounds.ts';
import { budgetOracle, retryAfterOracle } from './oracles/budget.ts';
import { connectionOracle } from './oracles/connections.ts';
import { credentialOracle } from './oracles/credentials.ts';
import { dampingOracle } from './oracles/damping.ts';
import { healthyOracle } from './oracles/healthy.ts';
import { hourlyOracle } from './oracles/hourly.ts';
import { leaseOracle } from './oracles/lease.ts';
import { ledgerOracle } from './oracles/ledger.ts';
import type { Oracle, Report, Violation } from './oracles/oracle.ts';
import { patchOracle } from './oracles/patches.ts';
import { secretsOracle } from './oracles/secrets.ts';
import { stalenessOracle } from './oracles/staleness.ts';
import { statusOracle } from './oracles/status.ts';
import { stormOracle } from './oracles/storms.ts';
import { windowsOracle } from './oracles/windows.ts';
import type { SeedResult } from './run-seed.ts';
import type { World } from './world.ts';

const oracles: readonly Oracle[] = [
  accessOracle,
  patchOracle,
  boundsOracle,
  windowsOracle,
  ledgerOracle,
  dampingOracle,
  credentialOracle,
  connectionOracle,
  stormOracle,
  leaseOracle,
  budgetOracle,
  retryAfterOracle,
  hourlyOracle,
  statusOracle,
  stalenessOracle,
  attributionOracle,
  secretsOracle,
  healthyOracle,
];

const mostViolations = 20;

export class Verdicts {
  readonly violations: Violation[] = [];
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
    for (const oracle of oracles) oracle.watch(world, this.reportFor(oracle.name));
  }

  reportFor(oracle: string): Report {
    return (what) => {
      if (this.violations.length > mostViolations) return;
      this.violations.push({ oracle, atMs: this.#world.time.nowMs, what });
      this.#world.note(`*** ${oracle}: ${what}`);
    };
  }

  /** Stops every replica, and asks those oracles that judge at the end. */
  async end(): Promise<void> {
    await stopAll(this.#world);
    for (const oracle of oracles) oracle.atEnd?.(this.#world, this.reportFor(oracle.name));
  }

  resultOf({ seed, mode }: Pick<SeedResult, 'seed' | 'mode'>): SeedResult {
    const { violations } = this;
    const { tail, counts, time, requests } = this.#world;
    const traceHash = this.#world.traceHash();
    return { seed, mode, violations, traceHash, tail, counts, events: time.count, requests };
  }
}

const minuteMs = 60_000;

/** Does not await a `stop`, because a replica may be killed or frozen meanwhile. The oracles report a replica that never stops. */
async function stopAll({ replicas, time }: World): Promise<void> {
  const asked = replicas.filter(({ isAlive }) => isAlive);
  for (const replica of asked) void replica.stop();
  await time.runUntil(time.nowMs + 2 * minuteMs);
  if (asked.some(({ isStopping }) => isStopping)) await time.runUntil(time.nowMs + 8 * minuteMs);
}
