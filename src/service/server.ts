// The alerts service with its sockets: starts and stops it. create-service.ts connects the parts behind the sockets.
import { within } from '../lib/clock.ts';
import { messageOf } from '../lib/errors.ts';
import { startHttpServer, type RunningServer } from '../lib/http-server.ts';
import { isLoopback } from '../lib/ip-address.ts';
import { isEveryInterface } from '../lib/listen-address.ts';
import { startAdminPort } from './admin/admin-port.ts';
import type { AlertsService } from './alerts-service.ts';
import { createAlertsServiceAt } from './create-service.ts';
import type { SqlQueries } from './database/sql.ts';
import { createHttpAdapter } from './http/adapter.ts';
import { serverOptionsOf, serviceLimits, type ClientFailure } from './http/limits.ts';
import { endpointPaths } from './http/resource-path.ts';
import { silentObserver } from './observer.ts';
import type { AlertsServiceOptions } from './service-options.ts';
import { openTLS, type TLS } from './tls/tls.ts';

/** Time that requests in flight, a scan and a sweep have to finish when the service stops. */
const stopGraceMs = 2000;

export interface RunningAlertsService extends Omit<
  AlertsService,
  'close' | 'answer' | 'checkHead' | 'faults' | 'audit' | 'emulator' | 'crossOrigin' | 'follow'
> {
  /** The base URL of section 4, without a trailing slash. */
  readonly url: string;
  readonly tokenURL: string;
  /** The CA certificate that clients must trust, in PEM; undefined unless the certificate is self-signed. */
  readonly authority: string | undefined;
  /** Undefined without an admin port. */
  readonly adminURL: string | undefined;
  /** Waits a limited time for what is running, then closes the database. Idempotent. */
  stop(): Promise<void>;
}

/** Throws `UsageError` for an invalid option, seed or file, and `local` when the address is in use. */
export async function startAlertsService(options: AlertsServiceOptions): Promise<RunningAlertsService> {
  let listening = '';
  const publicURL = () => options.publicURL ?? listening;
  const { database, ...service } = await createAlertsServiceAt(options, publicURL);
  const { clock, log } = options;
  const closeAfter = async (error: unknown) => {
    await service.close();
    throw error;
  };
  const { server, tls } = await listen(options, service, database.sql).catch(closeAfter);
  const { url } = server;
  // Before a request can arrive.
  listening = url;
  // After the service, so that /healthz of the admin port means that the service listens.
  const admin = await openAdminPort(options, service).catch(async (error: unknown) => {
    await server.stop(0);
    return closeAfter(error);
  });
  log.info({ url, state: stateOf(options) }, 'alerts service started');
  if (options.publicURL === undefined && isEveryInterface(options.listen.host)) {
    log.warn({ url }, 'listening on all interfaces without --public-url: tokens and metadata name a loopback address');
  }
  if (!tls && !isLoopback(options.listen)) log.warn({ url }, 'tokens are sent unencrypted to other machines: use TLS');
  const unfollow = tls?.follow((pair) => server.replaceCertificate(pair));
  const unfollowRegistrations = service.follow?.();
  service.scanner?.start();
  service.audit?.sweep.start();
  let stopping: Promise<void> | undefined;
  const stopAll = () => {
    unfollow?.();
    unfollowRegistrations?.();
    // Either may wait for a database, a file or a cluster that does not respond.
    const background = Promise.all([service.scanner?.stop(), service.audit?.sweep.stop()]);
    return Promise.all([server.stop(stopGraceMs), admin?.stop(), within(clock, stopGraceMs, background)]);
  };
  const stop = () =>
    (stopping ??= stopAll().then(async () => {
      await service.close();
      log.info({ url }, 'alerts service stopped');
    }));
  const tokenURL = `${publicURL()}${endpointPaths.token}`;
  return { ...service, url, tokenURL, authority: tls?.authority, adminURL: admin?.url, stop };
}

async function listen(
  options: AlertsServiceOptions,
  service: AlertsService,
  sql: SqlQueries,
): Promise<{ server: RunningServer; tls: TLS | undefined }> {
  const { answer, checkHead, crossOrigin } = service;
  const { listen: address, publicURL, tls: source, clock, log, accessLog, observer = silentObserver } = options;
  const tls = source && (await openTLS({ source, sql, listenHost: address.host, publicURL, clock, log }));
  const limits = { ...serviceLimits, ...options.limits };
  const listener = createHttpAdapter({
    answer,
    crossOrigin,
    checkHead,
    scheme: tls ? 'https' : 'http',
    trustedProxies: options.trustedProxies,
    clock,
    emulatorClock: options.emulatorClock,
    log,
    accessLog,
    observer,
  });
  const onClientError = ({ status, code, requestID }: ClientFailure) => {
    observer.clientErrorAnswered(status);
    accessLog?.info({ status, code, requestID }, 'malformed or timed-out request answered');
  };
  const server = await startHttpServer(address, listener, {
    ...serverOptionsOf(limits, { clock, crossOrigin, onClientError }),
    ...(tls && { tls: tls.pair }),
    onHandshakeFailed: (error) => log.debug({ error: messageOf(error) }, 'TLS handshake failed'),
  });
  return { server, tls };
}

async function openAdminPort(
  { admin, clock, emulatorClock, log }: AlertsServiceOptions,
  { faults, scanner, audit, emulator }: AlertsService,
): Promise<RunningServer | undefined> {
  if (!admin || !faults) return undefined;
  const parts = { faults, ...(scanner && { scanner }), audit, emulator };
  return startAdminPort(admin, { ...parts, clock, emulatorClock, log });
}

/** Where the state is, for the log; a URL has a password. */
function stateOf({ databaseURL, dataFile = 'memory' }: AlertsServiceOptions): string {
  return databaseURL ? 'PostgreSQL' : dataFile;
}
