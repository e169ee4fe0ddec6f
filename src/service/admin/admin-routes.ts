// The routes of the admin port: show and replace the faults, start a scan, and read the audit trail. The two ports share no route.
import type { Logger } from '../../lib/log.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { Audit } from '../audit/open-audit.ts';
import type { Emulator } from '../emulator/emulator.ts';
import { decodeFaultScript } from '../faults/decode-script.ts';
import type { Faults } from '../faults/faults.ts';
import { jsonResponse, anonymous, type ServiceRequest, type ServiceResponse } from '../http/message.ts';
import { splitTarget } from '../http/resource-path.ts';
import type { RequestHandler } from '../http/routes.ts';
import type { Scanner } from '../scanner.ts';
import { refuseCaller, type AdminAccess } from './admin-access.ts';
import { readDocumentOf } from './admin-body.ts';
import { adminError } from './admin-error.ts';
import { showAudit } from './audit-route.ts';
import { onEmulator, putSeed, reset, setClock, showClock } from './emulator-routes.ts';

export interface AdminDeps extends AdminAccess {
  readonly faults: Pick<Faults, 'report' | 'replace'>;
  /** Absent without a source of role assignments. */
  readonly scanner?: Pick<Scanner, 'scanNow' | 'lastFailure'>;
  /** Absent without an audit trail. */
  readonly audit?: Pick<Audit, 'read' | 'recordFaults'> | undefined;
  /** Absent unless the service is an emulator. */
  readonly emulator?: Emulator | undefined;
  readonly log: Logger;
}

type Handler = (deps: AdminDeps, request: ServiceRequest) => MaybePromise<ServiceResponse>;

const routes: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  '/faults': { GET: showFaults, PUT: replaceFaults },
  '/scan': { POST: scan },
  '/reset': { POST: onEmulator(reset) },
  '/seed': { PUT: onEmulator(putSeed) },
  '/clock': { GET: onEmulator(showClock), POST: onEmulator(setClock) },
  '/audit': { GET: ({ audit }, request) => showAudit(audit?.read, request) },
  '/healthz': { GET: () => jsonResponse(200, '{"status":"ok"}') },
};

/** The handler never rejects. */
export function createAdminRoutes(deps: AdminDeps): RequestHandler {
  return async (request) => {
    try {
      return anonymous(await answer(deps, request));
    } catch (error) {
      deps.log.error({ requestID: request.requestID, err: error }, 'admin request failed');
      return anonymous(adminError('InternalError', 'The service failed.'));
    }
  };
}

async function answer(deps: AdminDeps, request: ServiceRequest): Promise<ServiceResponse> {
  const path = splitTarget(request.target)?.path ?? '';
  const isProbe = path === '/healthz' && deps.token !== undefined;
  const refusal = isProbe ? undefined : refuseCaller(request, deps);
  if (refusal) return refusal;
  const methods = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (!methods) return adminError('RouteNotFound', `The paths are ${Object.keys(routes).join(', ')}.`);
  const handler = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
  if (handler) return handler(deps, request);
  const allow = Object.keys(methods).join(', ');
  return adminError('MethodNotAllowed', `The methods of this path are ${allow}.`, { headers: { allow } });
}

function showFaults({ faults }: AdminDeps): ServiceResponse {
  return jsonResponse(200, JSON.stringify(faults.report()));
}

async function replaceFaults({ faults, audit, log }: AdminDeps, request: ServiceRequest): Promise<ServiceResponse> {
  const document = readDocumentOf(request, { what: 'fault script' });
  if ('refusal' in document) return document.refusal;
  const { value: script, problems } = decodeFaultScript(document.value);
  if (!script) {
    return adminError('InvalidScript', 'The script is invalid; the previous one stays in force.', { problems });
  }
  await audit?.recordFaults(request);
  faults.replace(script);
  log.info({ requestID: request.requestID, rules: script.rules.length, seed: script.seed }, 'faults replaced');
  return jsonResponse(200, JSON.stringify(faults.report()));
}

async function scan({ scanner }: AdminDeps): Promise<ServiceResponse> {
  if (!scanner) return adminError('NoScanner', 'The service runs without a scanner.');
  const report = await scanner.scanNow();
  if (report) return jsonResponse(200, JSON.stringify(report));
  return adminError('ScanFailed', `The scan failed: ${sentenceOf(scanner.lastFailure ?? 'it was stopped')}`);
}

function sentenceOf(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}
