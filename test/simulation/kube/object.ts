// An object as the simulated API server stores it, and the Status of a rejected request.
import type { SimAnswer } from '../engine/types.ts';

export interface Metadata {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number | undefined;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly finalizers?: readonly string[] | undefined;
}

export interface StoredObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec?: Readonly<Record<string, unknown>> | undefined;
  readonly status?: Readonly<Record<string, unknown>> | undefined;
  readonly [member: string]: unknown;
}

/** `namespace/name`, or the bare name. */
export function keyOf({
  metadata: { namespace, name },
}: {
  metadata: { namespace?: string | undefined; name: string };
}): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  410: 'Expired',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** The error of a rejected request. */
export class Refusal extends Error {
  readonly status: number;
  /** Empty for the few refusals that have none. */
  readonly reason: string;
  /** Causes in the details of the Status. */
  readonly causes: readonly string[];

  constructor(status: number, message: string, reason = reasons[status] ?? 'Unknown', causes: readonly string[] = []) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.causes = causes;
  }
}

/** The response for an unknown path is plain text, without a Status. */
export class NotServed extends Refusal {
  constructor() {
    super(404, '404 page not found');
  }
}

export function statusObject({ status, reason, message, causes }: Refusal): object {
  const details = causes.length > 0 && { details: { causes: causes.map((cause) => ({ reason: cause })) } };
  const head = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message };
  return { ...head, ...(reason !== '' && { reason }), ...details, code: status };
}

export function refusalAnswer(refusal: Refusal): SimAnswer {
  if (refusal instanceof NotServed) {
    return { status: 404, headers: { 'content-type': 'text/plain' }, body: `${refusal.message}\n` };
  }
  return { status: refusal.status, body: JSON.stringify(statusObject(refusal)) };
}
