// What an API server demands of the Events that the operator writes.
import { Refusal } from './object.ts';
import type { Json } from './spec-rules.ts';

const qualifiedName = /^([a-z0-9]([a-z0-9.-]*[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;

/** Throws 422 for a wrong value. */
export function demandEvent(namespace: string | undefined, sent: Json): void {
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
