// The options of the service: as given, with their defaults, and as checked by decode-options.ts.
import type { Clock } from '../lib/clock.ts';
import type { FlatLogger } from '../lib/flat-log.ts';
import type { ListenAddress } from '../lib/listen-address.ts';
import type { Logger } from '../lib/log.ts';
import type { SecretSource, SecretText } from '../lib/secret-text.ts';
import type { AdminOptions } from './admin/admin-port.ts';
import type { ForwardClock } from './emulator/forward-clock.ts';
import type { ServiceLimits } from './http/limits.ts';
import type { ServiceClient, ServiceUser } from './oauth/registrations.ts';
import type { ServiceObserver } from './observer.ts';
import type { CreateScanner } from './scanner.ts';
import type { TLSSource } from './tls/tls.ts';

export const serviceDefaults = {
  pageSize: 50,
  providerNamespace: 'Vendor.Authorization',
  apiVersion: '2022-08-01-preview',
  tokenLifetimeMs: 3_600_000,
  auditRetentionMs: 90 * 24 * 3_600_000,
  auditMiB: 128,
} as const;

export interface AlertsServiceOptions {
  readonly listen: ListenAddress;
  /** SQLite file, created if missing. Absent: the state is in memory only. */
  readonly dataFile?: string;
  /** The URL of a PostgreSQL database, which several processes may share. Instead of `dataFile`. */
  readonly databaseURL?: SecretText;
  /** YAML or JSON; loaded only into an empty store. */
  readonly seedFile?: string;
  /** The seed as a parsed document; `seedFile` takes precedence. */
  readonly seed?: unknown;
  /** Accepted beside the tokens of the token endpoint. Absent, and without clients and users: generated, on loopback only. */
  readonly staticToken?: SecretText;
  /** False where a generated token would not be shown: a service that needs one is then refused. Default: true. */
  readonly showsGeneratedToken?: boolean;
  readonly clients?: readonly ServiceClient[];
  /** The users who may sign in. */
  readonly users?: readonly ServiceUser[];
  /** A file with more clients and users. `startAlertsService` follows it. */
  readonly registrationsFile?: string;
  /** The external base URL, an origin without a trailing slash. Absent: the listen address. */
  readonly publicURL?: string;
  /** Addresses and networks of proxies whose headers name the client, its scheme and its host. Absent: none. */
  readonly trustedProxies?: readonly string[];
  /** Overrides of single limits. */
  readonly limits?: Partial<ServiceLimits>;
  /** Absent: no metrics. */
  readonly observer?: ServiceObserver;
  /** Absent: plain HTTP. */
  readonly tls?: TLSSource;
  /** Limit for each caller. Absent: no limit. */
  readonly requestsPerSecond?: number;
  /** Absent: no scans. */
  readonly scanner?: CreateScanner;
  /** A fault script in YAML or JSON. Absent: no faults. */
  readonly faultsFile?: string;
  /** The fault script as a parsed document; `faultsFile` takes precedence. */
  readonly faults?: unknown;
  /**
   * Makes the service an emulator: the admin port may change the whole state and set this clock forward, which must be `clock`, too.
   * Requires an admin port and a state in memory.
   */
  readonly emulatorClock?: ForwardClock;
  /** Absent: no admin port. */
  readonly admin?: AdminOptions;
  readonly pageSize?: number;
  readonly providerNamespace?: string;
  readonly apiVersion?: string;
  readonly tokenLifetimeMs?: number;
  /** How long the audit trail keeps a record; 0 for no audit trail. */
  readonly auditRetentionMs?: number;
  /** Maximum size of the audit trail in MiB, whatever its retention; in memory at most 4. */
  readonly auditMiB?: number;
  readonly clock: Clock;
  readonly newSecret: SecretSource;
  readonly log: Logger;
  /** Receives one line for each request. Absent: no access log. */
  readonly accessLog?: FlatLogger;
}

/** The checked options, with defaults. */
export interface CheckedServiceOptions {
  readonly pageSize: number;
  readonly providerNamespace: string;
  readonly apiVersion: string;
  readonly tokenLifetimeMs: number;
  readonly auditRetentionMs: number;
  readonly auditMiB: number;
  readonly clients: readonly ServiceClient[];
  readonly users: readonly ServiceUser[];
  readonly staticToken: SecretText | undefined;
  /** The static token if it was generated; show it once. */
  readonly generatedToken: SecretText | undefined;
}
