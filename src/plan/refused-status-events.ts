// The event of an object whose status the API server refuses: the status cannot say so itself.
import type { EventDraft } from './event-draft.ts';

/** `kube-denied`: the permission is missing. `kube-invalid`: the schema of the cluster is older than the operator. */
export type StatusRefusal = 'kube-denied' | 'kube-invalid';

const causes: Readonly<Record<StatusRefusal, string>> = {
  'kube-denied': 'the permission is missing. Check the role of the operator.',
  'kube-invalid': "it does not fit the schema. Apply the CRDs of the operator's version.",
};

export function refusedStatusEvent(code: StatusRefusal): EventDraft {
  const note = `The status is out of date, because the API server refuses to store it: ${causes[code]}`;
  return { type: 'Warning', reason: 'StatusNotWritten', action: 'Reconcile', note };
}
