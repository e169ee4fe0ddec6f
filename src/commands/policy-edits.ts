// `rolealerts reconcile`, `suspend` and `resume`: edit policies, and wait until the operator has handled the change.
import { systemClock } from '../lib/clock.ts';
import { UsageError } from '../lib/command-errors.ts';
import { flagOnly, type Values } from '../lib/options/option.ts';
import { durationOption, optionalDurationOption, timeOption } from '../lib/options/quantity.ts';
import { selectorOption, switchOption } from '../lib/options/text.ts';
import { formatTimestamp } from '../lib/timestamp.ts';
import type { RoleAlertPolicy } from '../policy/resources.ts';
import { runPolicyEdit } from './cluster/run-policy-edit.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import type { Host } from './host.ts';
import { viewerOptions } from './options/shared-options.ts';
import { type PolicyEdit, requestNote } from './report/policy-edit.ts';
import { withViewer } from './viewer.ts';

export const policyEditOptions = {
  ...viewerOptions,
  all: flagOnly(
    switchOption({
      flag: 'all',
      description: 'Every policy of the namespace, or with --all-namespaces of the cluster.',
    }),
  ),
  selector: flagOnly(
    selectorOption({
      flag: 'selector',
      letter: 'l',
      description: "The policies with these labels, such as team=payments or 'team in (a,b)'.",
    }),
  ),
  wait: switchOption({
    flag: 'wait',
    description: 'Wait until the operator has handled the change.',
  }),
  timeout: durationOption({
    flag: 'timeout',
    fallback: 120_000,
    least: 1000,
    most: 86_400_000,
    description: 'How long --wait waits.',
  }),
};

export const suspendOptions = {
  ...policyEditOptions,
  until: flagOnly(
    timeOption({
      flag: 'until',
      description: 'When the suspension ends by itself. Default: never.',
    }),
  ),
  for: flagOnly(
    optionalDurationOption({
      flag: 'for',
      least: 60_000,
      most: 8_784 * 3_600_000,
      description: 'How long the suspension lasts, instead of --until.',
    }),
  ),
};

const operands = [{ name: 'NAME', description: 'The policies, as NAME or rap/NAME.', count: 'Any' }] as const;

const exits = {
  success: 'every policy was changed, with --wait also handled',
  failed: 'a policy was not changed, or with --wait is stalled or not handled in time',
} as const;

export const reconcileCommand = defineCommand({
  name: 'reconcile',
  description: descriptions.reconcile,
  more: 'Sets the annotation rolealerts.dev/requestedAt, which also resets the back-off of a scope. The requests per hour of the connection still apply. With --wait, standard error names what the operator waits for.',
  examples: [
    'rolealerts reconcile -n payments owners --wait',
    'rolealerts reconcile -n payments --all',
    'rolealerts reconcile -A -l team=payments --wait --timeout 10m',
  ],
  options: policyEditOptions,
  operands,
  exits,
  run: (values, host, names) => {
    const nowMs = systemClock.now();
    const edit = { kind: 'reconcile', requestedAt: new Date(nowMs).toISOString() } as const;
    return runEdit(values, host, { names, edit, noteOf: (policy) => requestNote(policy, nowMs) });
  },
});

export const suspendCommand = defineCommand({
  name: 'suspend',
  description: descriptions.suspend,
  more: 'Dismissals end while their policy is suspended as well: the operator still activates the alert then.',
  examples: [
    'rolealerts suspend -n payments owners --for 8h',
    'rolealerts suspend -n payments owners --until 2036-12-24T00:00:00Z --wait',
    'rolealerts suspend -n payments --all',
  ],
  options: suspendOptions,
  operands,
  exits,
  run: (values, host, names) => {
    const untilMs = suspensionEnd(values);
    const until = untilMs === undefined ? {} : { until: formatTimestamp(untilMs) };
    return runEdit(values, host, { names, edit: { kind: 'suspend', ...until } });
  },
});

export const resumeCommand = defineCommand({
  name: 'resume',
  description: descriptions.resume,
  examples: ['rolealerts resume -n payments owners', 'rolealerts resume -n payments --all --wait'],
  options: policyEditOptions,
  operands,
  exits,
  run: (values, host, names) => runEdit(values, host, { names, edit: { kind: 'resume' } }),
});

function suspensionEnd({ until, for: lengthMs }: Values<typeof suspendOptions>): number | undefined {
  if (until !== undefined && lengthMs !== undefined) throw new UsageError('Use either --until or --for.');
  if (until !== undefined && until <= systemClock.now()) {
    throw new UsageError(`--until ${formatTimestamp(until)} is past: choose a later time, or use --for.`);
  }
  return lengthMs === undefined ? until : systemClock.now() + lengthMs;
}

interface EditRequest {
  readonly names: readonly string[];
  readonly edit: PolicyEdit;
  /** What to say of a policy before its edit. */
  readonly noteOf?: (policy: RoleAlertPolicy) => string | undefined;
}

async function runEdit(
  values: Values<typeof policyEditOptions>,
  host: Host,
  { names, edit, noteOf = () => undefined }: EditRequest,
): Promise<number> {
  const { all, selector, wait, timeout, ...where } = values;
  const isDone = await withViewer(where, host, (place) =>
    runPolicyEdit(place, {
      edit,
      selection: { names, all, selector },
      noteOf,
      waitMs: wait ? timeout : undefined,
      print: (text) => host.out.write(text),
    }),
  );
  return isDone ? 0 : 1;
}
