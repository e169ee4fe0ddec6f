// The alerts service without a socket, as its callers see it.
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { SecretText } from '../lib/secret-text.ts';
import type { AlertCounts } from './alerts/alert-store.ts';
import type { SimulatedAlerts } from './alerts/simulated-alerts.ts';
import type { Audit } from './audit/open-audit.ts';
import type { Emulator } from './emulator/emulator.ts';
import type { Faults } from './faults/faults.ts';
import type { CrossOrigin } from './http/cors.ts';
import type { HeadCheck, RequestHandler } from './http/routes.ts';
import type { Scanner } from './scanner.ts';

/** The service without a socket, for callers in the same process. */
export interface AlertsService {
  readonly answer: RequestHandler;
  readonly checkHead: HeadCheck;
  readonly alerts: SimulatedAlerts;
  /** Linear in the number of alerts. */
  readonly countAlerts: () => MaybePromise<AlertCounts>;
  /** Present when the options name no static token, client or user. Show it once and never log it. */
  readonly generatedToken: SecretText | undefined;
  /** Undefined without a source of role assignments. Only `startAlertsService` starts it. */
  readonly scanner: Scanner | undefined;
  /** Undefined unless the options name faults or an admin port. */
  readonly faults: Faults | undefined;
  /** Follows the registrations file until the returned function is called. Undefined without a file. */
  readonly follow: (() => () => void) | undefined;
  /** Undefined without an audit trail. Only `startAlertsService` starts its sweep. */
  readonly audit: Audit | undefined;
  /** Undefined unless the options make the service an emulator. */
  readonly emulator: Emulator | undefined;
  /** Adds the headers of CORS to a response that does not come from `answer`. */
  readonly crossOrigin: CrossOrigin;
  /** False while the database is not reachable, and requests get 503. */
  isAvailable(): boolean;
  /** Closes the database. Idempotent. */
  close(): MaybePromise<void>;
}
