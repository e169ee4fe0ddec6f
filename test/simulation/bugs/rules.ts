// Bugs about the limits of a policy: bounds, damping, and their status.
import type { DeliberateBug } from '../bugs.ts';

export const rulesBugs: readonly DeliberateBug[] = [
  {
    name: 'take a maximum of incidents for a bound',
    trait: 'hasOldObjects',
    file: 'src/policy/dismissal.ts',
    find: 'dismissal.maxIncidents === undefined : dismissal.until !== undefined;',
    replace: 'dismissal.maxIncidents === undefined : true;',
  },
  {
    name: 'let a maximum of incidents reach as far as it likes',
    story: 'a maximum of incidents far ahead',
    file: 'src/policy/wants.ts',
    find: "if (!namesIncidents(dismissal) && endMs - nowMs > grant.maxDismissalMs) return 'DismissalTooLong';",
    replace: `if (!namesIncidents(dismissal) && dismissal.maxIncidents === undefined && endMs - nowMs > grant.maxDismissalMs)
    return 'DismissalTooLong';`,
  },
  {
    name: 'take eight blanks for a reason',
    trait: 'hasOldObjects',
    file: 'src/policy/dismissal.ts',
    find: 'sufficientReason.test(dismissal.reason)',
    replace: 'dismissal.reason.length >= 8',
  },
  {
    name: 'count no send for damping',
    story: 'a quarrel about one alert',
    file: 'src/controller/send-action.ts',
    find: 'if (!action.isActive) deps.noteDeactivation(action);',
    replace: '',
  },
  {
    name: 'let damping forget what no status says',
    story: 'a quarrel while no status can be written',
    file: 'src/controller/basis.ts',
    find: 'const { sent, activationBackoffs, damping, waits } = runtime.state(ref.scope);',
    replace: `const { sent, activationBackoffs, waits } = runtime.state(ref.scope);
    const damping = new Map();`,
  },
  {
    name: 'open damping by a change until everything is decided',
    story: 'a quarrel while another alert waits',
    file: 'src/plan/damping.ts',
    find: 'return isRequestPending(policy) && !isRequestUsed ? undefined : endMs;',
    replace: 'return isRequestPending(policy) ? undefined : endMs;',
    behind: [
      {
        file: 'src/plan/damping.ts',
        find: "return [status.observedGeneration, conditionOf(status, 'InSync')?.observedGeneration].includes(generation);",
        replace: 'return status.observedGeneration === generation;',
      },
    ],
  },
  {
    name: 'damp nothing',
    story: 'a quarrel about one alert',
    file: 'src/plan/rules/decide.ts',
    find: `  flapping,
`,
    replace: '',
  },
  {
    name: 'read a correction window on the wrong clock',
    story: 'a deactivation waits for its windows',
    file: 'src/lib/cron.ts',
    find: 'new Cron(schedule, { ...rules, timezone })',
    replace: "new Cron(schedule, { ...rules, timezone: timezone && 'UTC' })",
  },
  {
    name: 'wake no scope when a correction window opens',
    story: 'a deactivation waits for its windows',
    file: 'src/plan/next-change.ts',
    find: 'return opensAtMs;',
    replace: 'return opensAtMs && undefined;',
  },
  {
    name: 'forget the correction windows of the connection',
    story: 'a deactivation waits for its windows',
    file: 'src/plan/windows.ts',
    find: 'grant.correctionWindows ?? []',
    replace: 'grant.correctionWindows?.slice(99) ?? []',
  },
  {
    name: 'call a policy Ready that was created suspended',
    file: 'src/plan/condition-set.ts',
    find: "const ready = wasDecided ? yes('Suspended') : unknown('Suspended');",
    replace: "const ready = yes('Suspended');",
  },
  {
    name: 'call a policy Ready that was suspended while a correction was open',
    file: 'src/plan/status.ts',
    find: 'summary !== undefined && !isOpen;',
    replace: 'summary !== undefined;',
  },
  {
    name: 'let no time end a suspension',
    story: 'a suspension that ends by itself',
    file: 'src/policy/suspension.ts',
    find: 'return spec.suspend && (endMs === undefined || nowMs < endMs);',
    replace: `void [endMs, nowMs];
  return spec.suspend;`,
  },
  {
    name: 'end a suspension a minute early',
    story: 'a suspension that ends by itself',
    file: 'src/policy/suspension.ts',
    find: 'return spec.suspend && (endMs === undefined || nowMs < endMs);',
    replace: 'return spec.suspend && (endMs === undefined || nowMs < endMs - 60_000);',
  },
  {
    name: 'wake no scope at the end of a suspension',
    story: 'a suspension that ends by itself',
    file: 'src/plan/conclude.ts',
    find: "return changeMs === undefined ? onEvent : { at: 'Change', changeMs, intervalMs };",
    replace: `void [changeMs, intervalMs];
  return onEvent;`,
  },
  {
    name: 'miss the end of a suspension during a list',
    story: 'a suspension ends during a list',
    file: 'src/plan/next-change.ts',
    find: 'return isSuspended && endMs !== undefined ? Math.max(endMs, nowMs + 1) : endMs;',
    replace: `void [isSuspended, nowMs];
  return endMs;`,
  },
  {
    name: 'let the end of a dismissal wait for a slow retry',
    story: 'a dismissal ends after a refused list',
    file: 'src/plan/known-ends.ts',
    find: '.filter((endMs) => endMs > gatheredMs);',
    replace: '.filter((endMs) => endMs > gatheredMs + Infinity);',
  },
  {
    name: 'let the end of a suspension wait for a slow retry',
    story: 'a suspension ends after a refused list',
    file: 'src/plan/known-ends.ts',
    find: 'return earliestOf([...suspensionEnds({ policies }), ...dismissals]);',
    replace: 'return earliestOf(dismissals);',
  },
  {
    name: 'show a suspension until the end of a pause',
    story: 'a suspension ends while its scope is throttled',
    file: 'src/controller/reconcile.ts',
    find: 'changeMs === undefined ? staleMs : Math.min(staleMs, msUntil(context, changeMs))',
    replace: 'changeMs === undefined ? staleMs : staleMs',
  },
  {
    name: 'show a suspension that has ended',
    story: 'a suspension that ends within a pause',
    file: 'src/plan/condition-set.ts',
    find: "return reason === 'Suspended' || reason === 'ConnectionNotFound' ? undefined : 'keep';",
    replace: "return reason === undefined ? undefined : 'keep';",
  },
  {
    name: 'believe incidents that the service does not show',
    story: 'incidents that the service does not show',
    file: 'src/policy/dismissal.ts',
    find: 'if (alert.incidents.length < alert.incidentCount) return false;',
    replace: '',
  },
  {
    name: 'dismiss beyond the end',
    file: 'src/policy/dismissal.ts',
    find: "if (untilMs !== undefined && nowMs >= untilMs) return 'DismissalExpired';",
    replace: "if (untilMs !== undefined && nowMs >= untilMs + 300_000) return 'DismissalExpired';",
  },
  {
    name: 'treat unknown severity as low',
    story: 'a severity that is not known',
    file: 'src/policy/severity.ts',
    find: 'return rank === -1 ? 2 : rank;',
    replace: 'return rank === -1 ? 0 : rank;',
  },
  {
    name: 'forget the limit of the hour',
    file: 'src/plan/rules/decide.ts',
    find: `  deactivationLimited,
`,
    replace: '',
    behind: [
      {
        file: 'src/controller/connection-status-writer.ts',
        find: 'if (this.deactivationsLeft <= 0) throw hourlyLimitReached();',
        replace: 'void hourlyLimitReached;',
      },
    ],
  },
  {
    name: 'keep the old generation of a condition',
    file: 'src/plan/conditions.ts',
    find: '    observedGeneration: generation,',
    replace: '    observedGeneration: before?.observedGeneration ?? generation,',
  },
  {
    name: 'call a request handled by a reconcile that failed',
    file: 'src/plan/status.ts',
    find: "if (outcome.kind === 'failed' && !isDecided) return undefined;",
    replace: 'void [outcome, isDecided];',
  },
  {
    name: 'blame others for what the operator activated',
    story: 'a dismissal that may not be any more',
    file: 'src/plan/drift.ts',
    find: "isUndoneByUs(decision) ? 'Self' : attributeDrift(alert, false)",
    replace: 'attributeDrift(alert, false)',
  },
];
