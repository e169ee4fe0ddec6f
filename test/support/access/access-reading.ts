// What a policy of a ClusterRoleAlertConnection may do, read from the specified behaviour a second time. It shares no code with
// the operator: only the names of a case and of its result.
import type { AccessCase, AccessResult } from './access-case.ts';

interface Entry {
  readonly isForNamespace: boolean;
  readonly isForScope: boolean;
  readonly maxMode: 'Enforce' | 'Observe';
  readonly deactivation: 'Allow' | 'Deny';
  readonly unlisted: 'Allow' | 'Deny';
}

const everything = { maxMode: 'Enforce', deactivation: 'Allow', unlisted: 'Allow' } as const;

function entriesFor({ namespace, scope, others, maxMode, deactivation, unlisted }: AccessCase): Entry[] {
  const isForNamespace = namespace === 'Matches';
  // By whole segments, without regard to case; an encoded slash is no slash.
  const isForScope = ['Equal', 'Below', 'OtherCase'].includes(scope);
  const first = { isForNamespace, isForScope, maxMode, deactivation, unlisted };
  const rest: Entry = {
    isForNamespace,
    isForScope,
    maxMode: maxMode === 'Observe' ? 'Enforce' : 'Observe',
    deactivation: deactivation === 'Deny' ? 'Allow' : 'Deny',
    unlisted: unlisted === 'Deny' ? 'Allow' : 'Deny',
  };
  if (others === 'Rest') return [first, rest];
  if (others === 'None') return [first];
  return [
    first,
    { ...everything, isForNamespace: namespace !== 'Unknown', isForScope: false },
    { ...everything, isForNamespace: false, isForScope },
  ];
}

const denied: AccessResult = {
  isListed: false,
  sends: 'Nothing',
  effectiveMode: undefined,
  reason: 'AccessDenied',
  isStalled: true,
};

/** Asked in the order in which a reader of the rules would ask. */
export function expectedOf(each: AccessCase): AccessResult {
  const one = (suffices: (entry: Entry) => boolean) =>
    entriesFor(each).some((entry) => entry.isForNamespace && entry.isForScope && suffices(entry));
  if (!one(() => true)) return denied;
  const mayEnforce = one(({ maxMode }) => maxMode === 'Enforce');
  const effectiveMode = each.mode === 'Enforce' && mayEnforce ? 'Enforce' : 'Observe';
  const held = (reason: string, isStalled: boolean): AccessResult => ({
    isListed: true,
    sends: 'Nothing',
    effectiveMode,
    reason,
    isStalled,
  });
  const { direction, claim } = each;
  if (direction === 'Deactivate') {
    const isGranted = one(({ maxMode, deactivation }) => maxMode === 'Enforce' && deactivation === 'Allow');
    if (each.gate === 'Deny' || !isGranted) return held('DeactivationDenied', true);
  }
  if (direction === 'Guard') {
    const covers = ({ maxMode }: Entry) => effectiveMode === 'Observe' || maxMode === 'Enforce';
    if (!one((entry) => entry.unlisted === 'Allow' && covers(entry))) return held('GuardDenied', true);
  }
  if (effectiveMode === 'Observe') return held(each.mode === 'Enforce' ? 'ModeNotGranted' : 'Observed', false);
  // Active beats Inactive, but a declaration beats a guard.
  const isBeaten = direction !== 'Activate' && claim === 'Opposite';
  if (isBeaten) return held('ScopeConflict', true);
  if (direction === 'Deactivate' && each.damping === 'UsedUp') return held('Flapping', true);
  if (direction === 'Deactivate' && each.window === 'Closed') return held('WaitingForWindow', false);
  const sends = direction === 'Deactivate' ? 'Deactivation' : 'Activation';
  return { ...held('Progressing', false), sends };
}
