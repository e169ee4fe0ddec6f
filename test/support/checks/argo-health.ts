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
  const isSuspended = 'suspend' in spec && spec.suspend && ready?.reason === 'Suspended';
  switch (kstatusOf(object)) {
    case 'Terminating':
      return { status: 'Progressing', message };
    case 'Failed':
      return { status: isSuspended ? 'Suspended' : 'Degraded', message };
    case 'Current':
      return { status: isSuspended ? 'Suspended' : 'Healthy', message };
    case 'InProgress': {
      const isWorkedOn =
        status?.observedGeneration !== metadata.generation ||
        status.conditions?.some(({ type }) => type === 'Reconciling');
      if (isSuspended) return { status: 'Suspended', message };
      return { status: ready?.status === 'False' && !isWorkedOn ? 'Degraded' : 'Progressing', message };
    }
  }
}
