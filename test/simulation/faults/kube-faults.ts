// Faults of requests to the API server: each status that it or a proxy can return, and network faults.
import { Refusal, refusalAnswer } from '../kube/object.ts';
import type { Fault } from './fault-plan.ts';
import { networkFaults } from './network-faults.ts';

const statuses = [401, 403, 404, 409, 410, 422, 429, 500, 502, 503, 504];

/** Refused before it is reconciled; a write that the server knows nothing of. */
const refusals = Object.fromEntries(
  statuses.map((status): [string, Fault] => [
    String(status),
    ({ random }) => {
      const answer = refusalAnswer(new Refusal(status, 'drawn by the fault plan'));
      const seconds = Math.floor(random.next() * 5);
      return {
        kind: 'replace',
        answer: status === 429 ? { ...answer, headers: { 'retry-after': String(seconds) } } : answer,
      };
    },
  ]),
);

export const kubeFaults: Readonly<Record<string, Fault>> = {
  ...networkFaults,
  ...refusals,
  'page of a proxy': () => ({ kind: 'replace', answer: { status: 200, body: '<html>sign in</html>' } }),
  'empty answer': () => ({ kind: 'replace', answer: { status: 200, body: '' } }),
  /** Done, but the server reports a failure. */
  'timeout after the write': () => ({ kind: 'instead', answer: refusalAnswer(new Refusal(504, 'timeout')) }),
};
