// Bugs about the limits of a policy: bounds, damping, and their status.
import type { DeliberateBug } from '../bugs.ts';

export const rulesBugs: readonly DeliberateBug[] = [
  {
    name: 'take a maximum of incidents for a bound',
    trait: 'hasOldObjects',
    find: 'namesIncidents(dismissal) ? dismissal.maxIncidents === undefined : dismissal.until !== undefined',
    replace: 'namesIncidents(dismissal) ? dismissal.maxIncidents === undefined : true',
    behind: [
      {
        find: 'dismissalEndMs(dismissal) ?? Infinity; if (needsEnd(dismissal, grant)',
        replace: 'dismissalEndMs(dismissal) ?? 0; if (needsEnd(dismissal, grant)',
      },
    ],
  },
  {
    name: 'let a maximum of incidents reach as far as it likes',
    story: 'a maximum of incidents far ahead',
    find: "if (needsEnd(dismissal, grant) && endMs - nowMs > grant.maxDismissalMs) return 'DismissalTooLong';",
    replace: `if (needsEnd(dismissal, grant) && dismissal.maxIncidents === undefined && endMs - nowMs > grant.maxDismissalMs)
    return 'DismissalTooLong';`,
  },
  {
    name: 'take eight blanks for a reason',
    trait: 'hasOldObjects',
    find: 'return isBounded && sufficientReason.test(dismissal.reason);',
    replace: 'return isBounded && dismissal.reason.length >= 8;',
  },
  {
    name: 'damp by the first deactivations of the window',
    story: 'a quarrel about one alert',
    find: 'const first = within.at(-policy.spec.damping.maxDeactivations);',
    replace: 'const first = within.length > policy.spec.damping.maxDeactivations ? within[0] : undefined;',
  },
  {
    name: 'keep deactivations for the hour only',
    story: 'a quarrel about one alert',
    find: 'nowMs - sentMs < Math.max(hourMs, this.#windowMsAt(record.scope))',
    replace: 'nowMs - sentMs < hourMs && this.#windowMsAt(record.scope) > 0',
  },
  {
    name: 'damp nothing',
    story: 'a quarrel about one alert',
    find: 'dampedUntilMs(policy, plan.recentDeactivations.get(row.key) ?? [], plan.nowMs)',
    replace: 'dampedUntilMs(policy, [], plan.nowMs)',
  },
  {
    name: 'read a correction window on the wrong clock',
    story: 'a deactivation waits for its windows',
    find: 'new Cron(schedule, { ...rules, timezone })',
    replace: "new Cron(schedule, { ...rules, timezone: timezone && 'UTC' })",
  },
  {
    name: 'wake no scope when a correction window opens',
    story: 'a deactivation waits for its windows',
    find: "return { reason: 'WaitingForWindow', untilMs: state.opensAtMs };",
    replace: "return { reason: 'WaitingForWindow' };",
  },
  {
    name: 'forget the correction windows of the connection',
    story: 'a deactivation waits for its windows',
    find: '[policy.spec.correctionWindows ?? [], grant.correctionWindows ?? []]',
    replace: '[policy.spec.correctionWindows ?? [], []]',
  },
  {
    name: 'let no time end a suspension',
    story: 'a suspension that ends by itself',
    find: 'return spec.suspend && (endMs === undefined || nowMs < endMs);',
    replace: `void [endMs, nowMs];
  return spec.suspend;`,
  },
  {
    name: 'end a suspension a minute early',
    story: 'a suspension that ends by itself',
    find: 'return spec.suspend && (endMs === undefined || nowMs < endMs);',
    replace: 'return spec.suspend && (endMs === undefined || nowMs < endMs - 60_000);',
  },
  {
    name: 'wake no scope at the end of a suspension',
    story: 'a suspension that ends by itself',
    find: 'const next = endMs === undefined ? onEvent : nextAt(endMs, input.intervalMs);',
    replace: `void [endMs, nextAt];
  const next = onEvent;`,
  },
  {
    name: 'miss the end of a suspension during a list',
    story: 'a suspension ends during a list',
    find: 'return isSuspended && endMs !== undefined ? Math.max(endMs, nowMs + 1) : endMs;',
    replace: `void [isSuspended, nowMs];
  return endMs;`,
  },
  {
    name: 'let the end of a dismissal wait for a slow retry',
    story: 'a dismissal ends after a refused list',
    find: "if (pace === 'after-interval' || pace === 'forbidden') return nextAt(firstEndMs(policies, gatheredMs), delayMs);",
    replace: `void [firstEndMs, policies, gatheredMs];
  if (pace === 'after-interval' || pace === 'forbidden') return nextAt(undefined, delayMs);`,
  },
  {
    name: 'let the end of a suspension wait for a slow retry',
    story: 'a suspension ends after a refused list',
    find: "if (pace === 'after-interval' || pace === 'forbidden') return nextAt(firstEndMs(policies, gatheredMs), delayMs);",
    replace: `void [firstEndMs, policies, gatheredMs];
  if (pace === 'after-interval' || pace === 'forbidden') return nextAt(undefined, delayMs);`,
  },
  {
    name: 'show a suspension until the end of a pause',
    story: 'a suspension ends while its scope is throttled',
    find: 'const delayMs = Math.min(staleMs, msUntil(context, changeMs));',
    replace: `void [changeMs, msUntil];
  const delayMs = staleMs;`,
  },
  {
    name: 'show a suspension that has ended',
    story: 'a suspension that ends within a pause',
    find: "return reason === 'Suspended' || reason === 'ConnectionNotFound' || reason === 'ConnectionDeleting' ? undefined : 'keep';",
    replace: "return reason === undefined ? undefined : 'keep';",
  },
  {
    name: 'believe incidents that the service does not show',
    story: 'incidents that the service does not show',
    find: 'if (alert.incidents.length < alert.incidentCount) return false;',
    replace: '',
  },
  {
    name: 'dismiss beyond the end',
    find: "if (untilMs !== undefined && nowMs >= untilMs) return 'DismissalExpired';",
    replace: "if (untilMs !== undefined && nowMs >= untilMs + 300_000) return 'DismissalExpired';",
  },
  {
    name: 'treat unknown severity as low',
    story: 'a severity that is not known',
    find: 'return rank === -1 ? 2 : rank;',
    replace: 'return rank === -1 ? 0 : rank;',
  },
  {
    name: 'forget the limit of the hour',
    find: 'isForInactive(claim) && deactivationsLeft <= 0',
    replace: 'false',
    behind: [
      {
        find: 'this.deactivationsFor(scope).deactivationsLeft <= 0',
        replace: 'false',
      },
    ],
  },
  {
    name: 'keep the old generation of a condition',
    find: `observedGeneration: generation,
    lastTransitionTime: isTransition ? formatTimestamp(nowMs) : before.lastTransitionTime`,
    replace: `observedGeneration: before?.observedGeneration ?? generation,
    lastTransitionTime: isTransition ? formatTimestamp(nowMs) : before.lastTransitionTime`,
  },
  {
    name: 'call a request handled by a reconcile that failed',
    find: "if (cause.kind === 'failed' && cause.failure.kind !== 'stalled') return undefined;",
    replace: 'void cause;',
  },
  {
    name: 'blame others for what the operator activated',
    story: 'a dismissal that may not be any more',
    find: "wasInactiveAsDeclared(before) && want.denial === undefined && result !== 'Conflict'",
    replace: "wasInactiveAsDeclared(before) && (want.denial === undefined || result !== 'Conflict')",
  },
];
