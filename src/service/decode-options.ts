// Applies the defaults of the service's options and checks their bounds. Opens no files and sockets. An invalid option throws
// `UsageError` with a message for the user.
import { isNetwork } from '../lib/ip-address.ts';
import { isWholeNumber, withoutUndefined } from '../lib/json-shape.ts';
import { isSameCost } from './oauth/hashed-secret.ts';
import { identityOf, type Registered, type ServiceUser } from './oauth/registrations.ts';
import { requireThat } from './require-option.ts';
import { serviceDefaults, type AlertsServiceOptions, type CheckedServiceOptions } from './service-options.ts';
import { generateToken, checkToken } from './static-token.ts';

/** Maximum number of alerts on a page. */
const pageSizeLimit = 1000;

/** Applies the defaults and checks every bound. */
export function decodeOptions(options: AlertsServiceOptions): CheckedServiceOptions {
  const { pageSize, providerNamespace, apiVersion, tokenLifetimeMs, auditRetentionMs, auditMiB } = {
    ...serviceDefaults,
    ...withoutUndefined(options),
  };
  const { clients = [], users = [] } = options;
  requireThat(
    isWholeNumber(pageSize, 1, pageSizeLimit),
    `The page size must be a whole number from 1 to ${pageSizeLimit}.`,
  );
  requireThat(
    /^[A-Za-z0-9]+(\.[A-Za-z0-9]+)*$/.test(providerNamespace),
    'The provider namespace (--provider-namespace) must have a form like Vendor.Authorization.',
  );
  requireThat(apiVersion !== '', 'The api-version must not be empty.');
  const { publicURL, requestsPerSecond = 1 } = options;
  requireThat(
    publicURL === undefined || isOrigin(publicURL),
    'The public URL must be an http or https URL without a path.',
  );
  requireThat(
    (options.trustedProxies ?? []).every(isNetwork),
    'The trusted proxies must be addresses or networks like 10.0.0.0/8.',
  );
  requireThat(requestsPerSecond > 0, 'The requests per second must be more than 0.');
  requireThat(
    isWholeNumber(tokenLifetimeMs, 1000, 86_400_000),
    'The token lifetime must be from one second to one day.',
  );
  requireFittingRegistrations({ clients, users });
  requireThat(
    auditRetentionMs === 0 || isWholeNumber(auditRetentionMs, 60_000, 3650 * 86_400_000),
    'The audit trail must keep records for 1m to 3650d, or 0 for none.',
  );
  requireThat(isWholeNumber(auditMiB, 1, 1_048_576), 'The audit trail must have from 1 MiB to 1 TiB.');
  checkEmulator(options);
  const generatedToken = generateToken(options);
  const staticToken = checkToken(options.staticToken ?? generatedToken);
  const numbers = { pageSize, tokenLifetimeMs, auditRetentionMs, auditMiB };
  return { ...numbers, providerNamespace, apiVersion, clients, users, staticToken, generatedToken };
}

/** A name, or a token of another issuer, must identify at most one registration. Throws `UsageError`. */
export function requireFittingRegistrations({ clients, users }: Registered): void {
  const twice = (names: readonly string[]) => names.find((name, index) => names.indexOf(name) !== index);
  const client = twice(clients.map(({ id }) => id));
  requireThat(client === undefined, `The client ${client} is registered twice.`);
  const user = twice(users.map(({ name }) => name));
  requireThat(user === undefined, `The user ${user} is registered twice.`);
  const trusts = clients.flatMap(({ federated = [] }) => federated);
  const trust = twice(trusts.map(identityOf));
  requireThat(trust === undefined, `The issuer and subject ${trust} are trusted twice.`);
  requireOneCost(users);
}

/** Different costs would reveal registered names by the time of a sign-in. */
function requireOneCost(users: readonly ServiceUser[]): void {
  const [first, ...others] = users.flatMap(({ name, passwordHash }) => (passwordHash ? [{ name, passwordHash }] : []));
  const odd = others.find(({ passwordHash }) => first && !isSameCost(first.passwordHash.cost, passwordHash.cost));
  requireThat(
    odd === undefined,
    `The passwordHash of the user ${odd?.name} has another cost than the others: hash all with rolealerts serve hash.`,
  );
}

/** An emulator has no state that could matter to anything but a test. */
function checkEmulator({ emulatorClock, admin, dataFile, databaseURL }: AlertsServiceOptions): void {
  if (!emulatorClock) return;
  requireThat(admin !== undefined, 'An emulator needs an admin port (--admin).');
  requireThat(
    dataFile === undefined && databaseURL === undefined,
    'An emulator keeps its state in memory: remove --data and --database.',
  );
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text;
}
