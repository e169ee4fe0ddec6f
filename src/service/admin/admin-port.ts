// The admin port: a separate listener, disabled by default, on loopback unless it has a token.
import { UsageError } from '../../lib/command-errors.ts';
import { startHttpServer, type RunningServer } from '../../lib/http-server.ts';
import { isLoopback } from '../../lib/ip-address.ts';
import type { ListenAddress } from '../../lib/listen-address.ts';
import type { SecretText } from '../../lib/secret-text.ts';
import { createHttpAdapter, type HttpAdapterDeps } from '../http/adapter.ts';
import { requestBodyLimitBytes } from '../http/message.ts';
import { createAttemptLimit } from '../oauth/attempt-limit.ts';
import { requireThat } from '../require-option.ts';
import { requireLongSecret } from '../secret-length.ts';
import { adminBounds, maySendMuch } from './admin-access.ts';
import { createAdminRoutes, type AdminDeps } from './admin-routes.ts';
import { seedLimitBytes } from './emulator-routes.ts';

export interface AdminOptions {
  readonly listen: ListenAddress;
  /** Required on any address except loopback. */
  readonly token?: SecretText;
}

type AdminClocks = Pick<HttpAdapterDeps, 'clock' | 'emulatorClock'>;

/** Further connections take the place of the oldest, so that callers without the token lock out none with it. */
const mostConnections = 64;

/** Throws `UsageError`. */
export function checkAdminOptions({ listen, token }: AdminOptions): void {
  if (token) {
    const what = 'The admin token (--admin-token)';
    requireLongSecret(what, token);
    requireThat(
      /^[!-~]+$/.test(token.reveal()),
      `${what} may contain only letters, digits and punctuation of ASCII, and no white space: no request could send it.`,
    );
  }
  if (isLoopback(listen) || token) return;
  throw new UsageError('Set an admin token (--admin-token): without one the admin port listens on loopback only.');
}

/** Throws `LocalError` when the address is in use. */
export async function startAdminPort(
  { listen, token }: AdminOptions,
  { clock, emulatorClock, ...deps }: Omit<AdminDeps, 'token' | 'attempts'> & AdminClocks,
): Promise<RunningServer> {
  const attempts = createAttemptLimit(adminBounds, clock);
  const answer = createAdminRoutes({ ...deps, attempts, ...(token && { token }) });
  const log = deps.log.child({ port: 'admin' });
  const listener = createHttpAdapter({
    answer,
    scheme: 'http',
    clock,
    emulatorClock,
    log,
    accessLog: undefined,
    bodyLimitBytes: (request) =>
      deps.emulator && maySendMuch(request, token) ? seedLimitBytes : requestBodyLimitBytes,
  });
  const server = await startHttpServer(listen, listener, {
    idleTimeoutMs: 60_000,
    maxConnections: mostConnections,
  });
  const { url } = server;
  deps.log.info({ url }, 'admin port started');
  if (!isLoopback(listen)) deps.log.warn({ url }, 'the admin token is sent unencrypted to other machines');
  return server;
}
