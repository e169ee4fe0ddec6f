// Network faults on the way to any host.
import type { Fault } from './fault-plan.ts';

export const networkFaults: Readonly<Record<string, Fault>> = {
  refused: () => ({ kind: 'refuse' }),
  reset: () => ({ kind: 'reset' }),
  'response lost': () => ({ kind: 'lose-answer' }),
  'black hole': () => ({ kind: 'black-hole' }),
  'half-open': () => ({ kind: 'half-open' }),
  'name not found': () => ({ kind: 'name-not-found' }),
  'tls failed': () => ({ kind: 'tls-failed' }),
  'cut body': ({ random }) => ({ kind: 'cut-body', afterBytes: Math.floor(random.next() * 200) }),
  'slow body': ({ random }) => ({ kind: 'slow-body', chunkBytes: 1 + Math.floor(random.next() * 300), everyMs: 200 }),
  'late answer': ({ random }) => ({ kind: 'deliver', answerDelayMs: random.next() * 60_000 }),
  'late request': ({ random }) => ({ kind: 'deliver', delayMs: random.next() * 60_000 }),
};
