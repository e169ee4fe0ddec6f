// Compares this machine's clock with that of a server: tokens and certificates are valid between two times.
import { type CheckOutcome, passed, warning } from './check.ts';

const allowedSkewMs = 30_000;

/** `date`: the header of a response. `what`: the first half of the sentence. */
export function skewOutcome(what: string, date: unknown, nowMs: number): CheckOutcome {
  const serverMs = Date.parse(String(date));
  if (Number.isNaN(serverMs)) return passed(`${what}; its response has no date to compare clocks with.`);
  const skewMs = nowMs - serverMs;
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  // A date has whole seconds, and the response took some time.
  if (Math.abs(skewMs) <= allowedSkewMs) return passed(`${what}; its clock agrees within ${Math.max(seconds, 1)} s.`);
  const direction = skewMs > 0 ? 'behind' : 'ahead of';
  return warning(
    `${what}; its clock is ${seconds} s ${direction} this machine's.`,
    'Synchronize both clocks: tokens may count as expired or not yet valid.',
  );
}
