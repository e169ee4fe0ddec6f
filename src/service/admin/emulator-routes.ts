// The routes of the admin port that change the whole state: reset, seed and clock. Only an emulator has them; on any other service
// they are refused, so that no request can empty a state that matters.
import { UsageError } from '../../lib/command-errors.ts';
import { parseDuration } from '../../lib/duration.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { check, object, parsed, refine, time, type ValueShape } from '../config-files/shape.ts';
import type { Emulator } from '../emulator/emulator.ts';
import { jsonResponse, type ServiceRequest, type ServiceResponse } from '../http/message.ts';
import { readDocumentOf } from './admin-body.ts';
import { adminError } from './admin-error.ts';

/** A larger seed belongs into a file. */
export const seedLimitBytes = 4 * 1024 * 1024;

/** A century: far enough for any token, and every time remains a date. */
const longestForwardMs = 100 * 365 * 86_400_000;

interface EmulatorDeps {
  readonly emulator?: Emulator | undefined;
  readonly log: Logger;
}

type EmulatorHandler = (emulator: Emulator, request: ServiceRequest, log: Logger) => Promise<ServiceResponse>;

/** Refuses every request to a service that is not an emulator. */
export function onEmulator(handle: EmulatorHandler) {
  return ({ emulator, log }: EmulatorDeps, request: ServiceRequest): MaybePromise<ServiceResponse> =>
    emulator
      ? handle(emulator, request, log)
      : adminError('NotAnEmulator', 'Only a service that was started with --emulator can do this.');
}

export async function reset(emulator: Emulator, request: ServiceRequest, log: Logger): Promise<ServiceResponse> {
  const counts = await emulator.reset(request);
  log.info({ requestID: request.requestID, ...counts }, 'state reset');
  return jsonResponse(200, JSON.stringify(counts));
}

export async function putSeed(emulator: Emulator, request: ServiceRequest, log: Logger): Promise<ServiceResponse> {
  const document = readDocumentOf(request, { what: 'seed', limitBytes: seedLimitBytes });
  if ('refusal' in document) return document.refusal;
  try {
    const counts = await emulator.reseed({ document: document.value, text: document.text }, request);
    log.info({ requestID: request.requestID, ...counts }, 'seed replaced');
    return jsonResponse(200, JSON.stringify(counts));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return adminError('InvalidSeed', messageOf(error));
  }
}

export async function showClock(emulator: Emulator): Promise<ServiceResponse> {
  return jsonResponse(200, JSON.stringify({ now: new Date(emulator.now()).toISOString() }));
}

export async function setClock(emulator: Emulator, request: ServiceRequest, log: Logger): Promise<ServiceResponse> {
  const document = readDocumentOf(request, { what: 'clock' });
  if ('refusal' in document) return document.refusal;
  const { value: elapsedMs, problems } = check(document.value, elapsedFrom(emulator.now()));
  if (elapsedMs === undefined) return adminError('InvalidClock', 'The clock stays as it is.', { problems });
  await emulator.forwardBy(elapsedMs, request);
  log.info({ requestID: request.requestID, elapsedMs }, 'clock set forward');
  return showClock(emulator);
}

const duration = parsed(parseDuration, 'must be a duration like 1h');

/** `{"forwardBy": "1h"}` or `{"now": "2026-12-24T18:00:00Z"}`, in milliseconds from `nowMs`. */
function elapsedFrom(nowMs: number): ValueShape<number> {
  return refine(object({}, { forwardBy: duration, now: time }), ({ forwardBy, now }, note) => {
    if ((forwardBy === undefined) === (now === undefined)) note('must have either "forwardBy" or "now"');
    const elapsedMs = forwardBy ?? (now ?? nowMs) - nowMs;
    if (elapsedMs < 0) note('must not be before the current time of the service', 'now');
    if (elapsedMs > longestForwardMs) note('must set the clock forward by a hundred years at most');
    return elapsedMs;
  });
}
