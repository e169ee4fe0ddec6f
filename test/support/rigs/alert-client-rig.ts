// A client with everything that a contract test needs: a scripted service, a rate limiter that never limits, a
// log that is kept, and a canary as its token.
import type { ServerOptions } from 'node:https';
import { inspect } from 'node:util';

import { systemClock } from '../../../src/lib/clock.ts';
import { CodedError } from '../../../src/lib/errors.ts';
import { createLogger, silentLogger } from '../../../src/lib/log.ts';
import { systemRandom } from '../../../src/lib/random.ts';
import { SecretText } from '../../../src/lib/secret-text.ts';
import type { AlertClient, PatchOptions } from '../../../src/operator/alert-client/alert-client.ts';
import type { RequestSample } from '../../../src/operator/alert-client/client.ts';
import {
  connectAlertClient,
  type Authentication,
  type ConnectOptions,
} from '../../../src/operator/alert-client/connect.ts';
import { RateLimiter } from '../../../src/operator/alert-client/rate-limiter.ts';
import { startScriptedServer, type Script, type ScriptedServer } from '../servers/scripted-server.ts';

export const canary = 'canary-3f9c1d-secret';
export const scope = 'subscriptions/0b1f6471';

export interface Rig extends AsyncDisposable {
  readonly client: AlertClient;
  readonly server: ScriptedServer;
  readonly samples: readonly RequestSample[];
  /** How often the Secret was read. */
  readonly credentialReads: () => number;
  /** Everything that was logged. */
  readonly logged: () => string;
}

interface RigOptions {
  readonly limits?: Partial<ConnectOptions['limits']>;
  readonly authentication?: (serverUrl: string) => Authentication;
  readonly basePath?: string;
  readonly caBundle?: string;
  readonly change?: Partial<ConnectOptions>;
  readonly credentials?: string[];
  readonly tls?: ServerOptions;
}

export async function startRig(script: Script, options: RigOptions = {}): Promise<Rig> {
  return connectRig(await startScriptedServer(script, options.tls), options);
}

function connectRig(server: ScriptedServer, options: RigOptions): Rig {
  const samples: RequestSample[] = [];
  const lines: string[] = [];
  const credentials = options.credentials ?? [canary];
  const { caBundle } = options;
  let reads = 0;
  const client = connectClient(`${server.url}${options.basePath ?? ''}`, canary, {
    ...(caBundle !== undefined && { readCaBundle: async () => caBundle }),
    authentication: options.authentication?.(server.url) ?? { kind: 'BearerToken' },
    readCredential: async () => {
      const value = credentials[Math.min(reads, credentials.length - 1)] ?? '';
      reads += 1;
      return new SecretText(value);
    },
    limits: { maxPages: 3, maxPageBytes: 20_000, maxConcurrent: 4, requestTimeoutMs: 300_000, ...options.limits },
    log: createLogger({ level: 'debug', format: 'json', sink: { write: (line) => lines.push(line) } }),
    observe: (sample) => samples.push(sample),
    ...options.change,
  });
  const stop = async () => {
    await client.stop();
    await server.stop();
  };
  return {
    client,
    server,
    samples,
    credentialReads: () => reads,
    logged: () => lines.join(''),
    [Symbol.asyncDispose]: stop,
  };
}

/** A client of a real service, with a rate limiter that never limits. The caller stops it. */
export function connectClient(baseURL: string, credential: string, change: Partial<ConnectOptions> = {}): AlertClient {
  return connectAlertClient({
    endpoint: { baseURL, providerNamespace: 'Vendor.Authorization', apiVersion: '2022-08-01-preview' },
    authentication: { kind: 'BearerToken' },
    readCredential: async () => new SecretText(credential),
    limits: { maxPages: 10, maxPageBytes: 1_000_000, maxConcurrent: 4, requestTimeoutMs: 300_000 },
    rateLimiter: new RateLimiter({ clock: systemClock, requestsPerHour: 3_600_000, burst: 1000, initialTokens: 1000 }),
    allowHttp: true,
    allowedHosts: [],
    allowPrivateEndpoints: true,
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    ...change,
  });
}

export function call(change: Partial<PatchOptions> = {}): PatchOptions {
  return { priority: 'high', signal: new AbortController().signal, beforeSend: () => undefined, ...change };
}

/** The error that `promise` fails with, and everything a log or a crash could print of it. */
export async function failureOf(promise: Promise<unknown>): Promise<{ error: CodedError; printed: string }> {
  try {
    await promise;
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    const printed = `${inspect(error, { depth: 10, showHidden: true })}${String(error)}${JSON.stringify(error)}${error.stack}`;
    return { error, printed };
  }
  throw new Error('it should have failed');
}

/** An alert as the service sends it (section 2.2). */
export function alertDocument(name: string, isActive = true): object {
  return { name, properties: { isActive, incidentCount: 0, alertIncidents: [], scope } };
}
