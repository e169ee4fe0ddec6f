// What the admin port answers: the faults that are on, another script, no faults, a scan. Nothing of it is on the port of the
// service, and nothing of the service is on this one.
import { messageOf, OperatorError } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { SecretText } from '../../lib/secret-text.ts';
import { parseDocument } from '../config-files/read.ts';
import { decodeFaultScript } from '../faults/decode-script.ts';
import { noFaults } from '../faults/fault.ts';
import type { Faults } from '../faults/faults.ts';
import {
  emptyResponse,
  jsonResponse,
  mediaTypeOf,
  requestBodyLimitBytes,
  textOf,
  type HandledRequest,
  type ServiceRequest,
  type ServiceResponse,
} from '../http/message.ts';
import { splitTarget } from '../http/resource-path.ts';
import type { RequestHandler } from '../http/routes.ts';
import type { Scanner } from '../scanner/scanner.ts';
import { refuseCaller } from './admin-access.ts';
import { adminError } from './admin-error.ts';

export interface AdminParts {
  readonly faults: Pick<Faults, 'report' | 'replace'>;
  /** Runs one scan. Absent when nothing is scanned. */
  readonly scanner?: Pick<Scanner, 'scanNow' | 'lastFailure'>;
  /** Absent means that every program on this machine may call. */
  readonly token?: SecretText;
  readonly log: Logger;
}

type Handler = (parts: AdminParts, request: ServiceRequest) => MaybePromise<ServiceResponse>;

const routes: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  '/faults': { GET: showFaults, PUT: replaceFaults, DELETE: endFaults },
  '/scan': { POST: scan },
  '/healthz': { GET: () => jsonResponse(200, '{"status":"ok"}') },
};

/** Never throws, never rejects. */
export function createAdminRoutes(parts: AdminParts): RequestHandler {
  return async (request) => {
    try {
      return answered(await answer(parts, request));
    } catch (error) {
      parts.log.error({ err: error }, 'admin request failed');
      return answered(adminError('InternalError', 'The service failed.'));
    }
  };
}

function answered(response: ServiceResponse): HandledRequest {
  return { response, route: 'unknown', principal: 'none' };
}

function answer(parts: AdminParts, request: ServiceRequest): MaybePromise<ServiceResponse> {
  const path = splitTarget(request.target)?.path ?? '';
  const isProbe = path === '/healthz' && parts.token !== undefined;
  const refusal = isProbe ? undefined : refuseCaller(request, parts.token);
  if (refusal) return refusal;
  const methods = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (!methods) return adminError('RouteNotFound', `There are ${Object.keys(routes).join(', ')}.`);
  const handler = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
  if (handler) return handler(parts, request);
  const allow = Object.keys(methods).join(', ');
  return adminError('MethodNotAllowed', `The methods of this path are ${allow}.`, { headers: { allow } });
}

function showFaults({ faults }: AdminParts): ServiceResponse {
  return jsonResponse(200, JSON.stringify(faults.report()));
}

function replaceFaults({ faults, log }: AdminParts, request: ServiceRequest): ServiceResponse {
  const document = readBody(request);
  if ('refusal' in document) return document.refusal;
  const { script, problems } = decodeFaultScript(document.value);
  if (problems.length > 0) {
    return adminError('InvalidScript', 'The script cannot be used; the one before is still on.', { problems });
  }
  faults.replace(script);
  log.info({ rules: script.rules.length, seed: script.seed }, 'faults replaced');
  return jsonResponse(200, JSON.stringify(faults.report()));
}

function endFaults({ faults, log }: AdminParts): ServiceResponse {
  faults.replace(noFaults);
  log.info({}, 'faults ended');
  return emptyResponse(204);
}

async function scan({ scanner }: AdminParts): Promise<ServiceResponse> {
  if (!scanner) return adminError('NoScanner', 'Nothing is scanned: the service was started without a scanner.');
  const report = await scanner.scanNow();
  if (report) return jsonResponse(200, JSON.stringify(report));
  return adminError(
    'ScanFailed',
    `The scan did not come to its end: ${sentenceOf(scanner.lastFailure ?? 'it was stopped')}`,
  );
}

/** A media type that a page can only send after asking, which this port never allows. */
const documentTypes: ReadonlySet<string | undefined> = new Set([
  'application/json',
  'application/yaml',
  'application/x-yaml',
]);

function readBody(request: ServiceRequest): { readonly value: unknown } | { readonly refusal: ServiceResponse } {
  if (request.body.length > requestBodyLimitBytes) {
    return { refusal: adminError('BodyTooLarge', `The body is larger than ${requestBodyLimitBytes} bytes.`) };
  }
  if (!documentTypes.has(mediaTypeOf(request))) {
    return { refusal: adminError('UnsupportedMediaType', 'Send application/json or application/yaml in UTF-8.') };
  }
  const text = textOf(request.body);
  if (text === undefined) return { refusal: adminError('MalformedDocument', 'The body is not UTF-8.') };
  try {
    return { value: parseDocument('fault script', text, 'in the body') };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { refusal: adminError('MalformedDocument', messageOf(error)) };
  }
}

function sentenceOf(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}
