// How GitOps tools interpret a resource's status: the rules that kstatus documents for resources without rules of their own
// (conditions Reconciling, Stalled and Ready, and observedGeneration). Written from that description, not from src/.

/** The part of an object that kstatus reads. */
export interface StatusHolder {
  readonly metadata: { readonly generation?: number; readonly deletionTimestamp?: string };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export type KStatus = 'Terminating' | 'InProgress' | 'Failed' | 'Current';

export function kstatusOf({ metadata, status }: StatusHolder): KStatus {
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  const observed = status?.observedGeneration;
  if (observed !== undefined && observed !== metadata.generation) return 'InProgress';
  for (const condition of status?.conditions ?? []) {
    if (condition.type === 'Reconciling' && condition.status === 'True') return 'InProgress';
    if (condition.type === 'Stalled' && condition.status === 'True') return 'Failed';
  }
  // Only then is Ready asked; a resource without any of them counts as Current.
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready === undefined || ready.status === 'True' ? 'Current' : 'InProgress';
}
