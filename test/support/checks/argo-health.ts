// The health that Argo CD should show of an object: kstatus decides, and of what it calls in progress Argo CD knows two finer states. A second
// reading of health.lua in deploy/argocd.
import type { AnyConnection, RoleAlertPolicy } from '../../../src/policy/resources.ts';
import { kstatusOf } from './kstatus.ts';

export type Observed = RoleAlertPolicy | AnyConnection;

export interface ArgoHealth {
  readonly status: 'Healthy' | 'Progressing' | 'Degraded' | 'Suspended';
  readonly message: string;
}

export function argoHealthOf(object: Observed): ArgoHealth {
  const { metadata, spec, status } = object;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const isSeen = ready?.observedGeneration === metadata.generation;
  const message = isSeen ? ready.message : 'Waiting for the operator.';
  const kstatus = kstatusOf(object);
  if (kstatus === 'Terminating') return { status: 'Progressing', message };
  if ('suspend' in spec && spec.suspend && ready?.reason === 'Suspended') return { status: 'Suspended', message };
  if (kstatus === 'Failed') return { status: 'Degraded', message };
  if (kstatus === 'Current') return { status: 'Healthy', message };
  const isWorkedOn =
    status?.observedGeneration !== metadata.generation || status.conditions?.some(({ type }) => type === 'Reconciling');
  return { status: ready?.status === 'False' && !isWorkedOn ? 'Degraded' : 'Progressing', message };
}
