// What the admin port of an emulator can do to the whole state, for the tests of a client: bring it back to its seed, replace the seed,
// and set the clock forward. A service that is not an emulator has none of it.
import type { AlertStore, AlertTransaction } from '../alerts/alert-store.ts';
import { decodeSeed, type SeedDocument, type Seeded } from '../alerts/seed.ts';
import { storeSeed, type SeedCounts } from '../alerts/store-seed.ts';
import { adminCause, recordChange, type AdminRequest, type ChangeCause } from '../audit/audit-record.ts';
import type { FaultScript } from '../faults/fault.ts';
import type { Faults } from '../faults/faults.ts';
import type { ForwardClock } from './forward-clock.ts';

export interface Emulator {
  /** Brings the alerts back to the last seed and the faults to those of the start, and forgets all failed logins. */
  reset(request: AdminRequest): Promise<SeedCounts>;
  /** Replaces the seed, and then does the same. Throws `UsageError` for an invalid seed, and changes nothing. */
  reseed(seed: SeedDocument, request: AdminRequest): Promise<SeedCounts>;
  /** Wall time in milliseconds since 1970. */
  now(): number;
  forwardBy(elapsedMs: number, request: AdminRequest): Promise<void>;
}

export interface EmulatorDeps {
  readonly store: Pick<AlertStore, 'transaction'>;
  readonly faults: Pick<Faults, 'replace'>;
  /** Those of the start. */
  readonly script: FaultScript;
  /** The seed of the start; without a document, no alerts. */
  readonly seed: SeedDocument;
  readonly providerNamespace: string;
  /** Of wrong credentials. */
  readonly resetLimits: () => void;
  readonly isAudited: boolean;
  readonly clock: ForwardClock;
}

const noAlerts = { scopes: {} };

export function createEmulator(deps: EmulatorDeps): Emulator {
  const { faults, clock } = deps;
  let seed = deps.seed;
  const decode = ({ document = noAlerts, text }: SeedDocument) => {
    const { providerNamespace } = deps;
    return decodeSeed(document, 'in the body', { providerNamespace, nowMs: clock.now() }, text);
  };
  const restore = async (seeded: Iterable<Seeded>, cause: ChangeCause) => {
    const counts = await replaceAlerts(deps, seeded, cause);
    faults.replace(deps.script);
    deps.resetLimits();
    return counts;
  };
  return {
    reset: (request) => restore(decode(seed), adminCause('reset', request)),
    async reseed(next, request) {
      const counts = await restore(decode(next), adminCause('seed', request));
      seed = next;
      return counts;
    },
    now: () => clock.now(),
    async forwardBy(elapsedMs, request) {
      clock.forwardBy(elapsedMs);
      await deps.store.transaction((tx) => record(deps, tx, adminCause('clock', request)));
    },
  };
}

async function replaceAlerts(deps: EmulatorDeps, seeded: Iterable<Seeded>, cause: ChangeCause): Promise<SeedCounts> {
  return deps.store.transaction(async (tx) => {
    const rows = await tx.sql.query('SELECT scope_key FROM scope');
    for (const row of rows) await tx.removeScope(String(row['scope_key']));
    await tx.sql.query('DELETE FROM scanned_scope');
    await record(deps, tx, cause);
    return storeSeed(tx, seeded);
  });
}

async function record({ isAudited, clock }: EmulatorDeps, tx: AlertTransaction, cause: ChangeCause): Promise<void> {
  if (isAudited) await recordChange(tx.sql, { atMs: clock.now() }, cause);
}
