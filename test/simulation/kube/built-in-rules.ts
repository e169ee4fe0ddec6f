// What an API server demands of the objects that are built into it, as far as the operator writes them: Events and Leases.
import { Refusal } from './object.ts';
import type { SimResource } from './resources.ts';
import type { Json } from './spec-rules.ts';

/** Throws 422 for a wrong value, and 400 for one of a wrong type. */
export function demandBuiltIn({ plural }: SimResource, namespace: string | undefined, sent: Json): void {
  if (plural === 'events') demandEvent(namespace, sent);
  if (plural === 'leases') demandLease((sent['spec'] ?? {}) as Json);
}

const microTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.]\d+)?(Z|[+-]\d\d:\d\d)$/;
const qualifiedName = /^([a-z0-9]([a-z0-9.-]*[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;

function demandEvent(namespace: string | undefined, sent: Json): void {
  const { note, reason, action, eventTime, reportingController, reportingInstance, regarding, type } = sent;
  const isWhole =
    [reason, action, reportingInstance].every((text) => isText(text, 128)) && typeof eventTime === 'string';
  const isOurs = typeof reportingController === 'string' && qualifiedName.test(reportingController);
  const isKnown = type === 'Normal' || type === 'Warning';
  const isLong = typeof note === 'string' && Buffer.byteLength(note) > 1024;
  const isNowhere = namespace !== 'default' && (((regarding ?? {}) as Json)['namespace'] ?? '') === '';
  if (!isWhole || !isOurs || !isKnown || isLong || isNowhere) throw new Refusal(422, 'the Event is invalid');
}

function isText(value: unknown, longest: number): boolean {
  return typeof value === 'string' && value !== '' && value.length <= longest;
}

function demandLease({ leaseDurationSeconds, leaseTransitions, acquireTime, renewTime }: Json): void {
  for (const value of [leaseDurationSeconds, leaseTransitions]) {
    if (value !== undefined && value !== null && !Number.isInteger(value)) throw new Refusal(400, 'not a whole number');
  }
  for (const value of [acquireTime, renewTime]) {
    if (typeof value === 'string' && !microTime.test(value)) throw new Refusal(400, 'not a time');
  }
  if (Number(leaseDurationSeconds ?? 1) < 1 || Number(leaseTransitions ?? 0) < 0) {
    throw new Refusal(422, 'the Lease is invalid');
  }
}
