// The admin port: a separate listener, disabled by default, on loopback unless it has a token.
import type { Clock } from '../../lib/clock.ts';
import { OperatorError } from '../../lib/errors.ts';
import { startHttpServer, type ListenAddress, type RunningServer } from '../../lib/http-server.ts';
import type { SecretText } from '../../lib/secret-text.ts';
import { createHttpAdapter } from '../http/adapter.ts';
import { isLoopback } from '../service-options.ts';
import { createAdminRoutes, type AdminParts } from './admin-routes.ts';

export interface AdminOptions {
  readonly listen: ListenAddress;
  /** Required on any address except loopback. */
  readonly token?: SecretText;
}

/** Throws `OperatorError` `usage`. */
export function checkAdminOptions({ listen, token }: AdminOptions): void {
  if (isLoopback(listen) || token) return;
  throw new OperatorError('usage', 'Set an admin token: without one the admin port listens on loopback only.');
}

/** Throws `OperatorError` `local` when the address is in use. */
export async function startAdminPort(
  { listen, token }: AdminOptions,
  { clock, ...parts }: Omit<AdminParts, 'token'> & { readonly clock: Clock },
): Promise<RunningServer> {
  const answer = createAdminRoutes({ ...parts, ...(token && { token }) });
  const listener = createHttpAdapter({ answer, scheme: 'http', clock, log: parts.log, accessLog: undefined });
  const server = await startHttpServer(listen, listener, { idleTimeoutMs: 60_000, maxConnections: 64 });
  const { url } = server;
  parts.log.info({ url }, 'admin port started');
  if (!isLoopback(listen)) parts.log.warn({ url }, 'the admin token is sent unencrypted to other machines');
  return server;
}
