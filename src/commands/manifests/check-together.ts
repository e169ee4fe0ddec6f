// Warnings for manifests that an API server accepts and that are probably mistakes: policies that contradict each other, and
// dismissals, suspensions and correction windows that have no effect.
import { alertKey } from '../../alerts/resource-id.ts';
import { dismissalEndMs } from '../../policy/dismissal.ts';
import type { PolicyAlert } from '../../policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { suspensionEndMs } from '../../policy/suspension.ts';
import { storedConnection, storedPolicy } from './as-stored.ts';
import { checkWindows } from './check-windows.ts';
import type { FieldPath } from './field-path.ts';
import type { Manifest, PlacedProblem } from './parse-manifests.ts';
import type { Check } from './problem.ts';

interface Declaring {
  readonly manifest: Manifest;
  readonly policy: RoleAlertPolicy;
}

interface Declaration extends Declaring {
  readonly alert: PolicyAlert;
  readonly index: number;
}

/** `nowMs`: milliseconds since 1970. */
export function checkTogether(
  objects: readonly { readonly manifest: Manifest; readonly object: Readonly<Record<string, unknown>> }[],
  nowMs: number,
): readonly PlacedProblem[] {
  const declaring = objects.flatMap(({ manifest, object }): Declaring[] => {
    const policy = storedPolicy(object, 'default');
    return policy ? [{ manifest, policy }] : [];
  });
  const connections = objects.flatMap(({ manifest, object }) => {
    const connection = storedConnection(object, 'default');
    return connection ? [{ manifest, object: connection }] : [];
  });
  return [
    ...repeatedObjects(declaring),
    ...contradictions(declaring),
    ...declaring.flatMap((each) => ended(each, nowMs)),
    ...checkWindows(
      declaring.map(({ manifest, policy }) => ({ manifest, object: policy })),
      connections,
      nowMs,
    ),
  ];
}

/** The later manifest of one name replaces the earlier one. */
function repeatedObjects(declaring: readonly Declaring[]): readonly PlacedProblem[] {
  const first = new Map<string, Manifest>();
  return declaring.flatMap(({ manifest, policy: { metadata } }) => {
    const key = `${metadata.namespace}/${metadata.name}`;
    const earlier = first.get(key);
    if (!earlier || metadata.name.endsWith('…')) {
      first.set(key, manifest);
      return [];
    }
    const message = `policy ${key} is declared before, at ${whereOf(earlier, ['metadata', 'name'])}: the later one replaces it`;
    return [warning('duplicate-item', manifest, ['metadata', 'name'], message, 'rename one of them, or remove it')];
  });
}

/** Policies of one connection that want one alert in different states: the older one loses or wins by rules, not by intent. */
function contradictions(declaring: readonly Declaring[]): readonly PlacedProblem[] {
  const first = new Map<string, Declaration>();
  return declaring.flatMap(({ manifest, policy }) => {
    if (policy.spec.mode !== 'Enforce') return [];
    return (policy.spec.alerts ?? []).flatMap((alert, index): PlacedProblem[] => {
      const key = claimKey(policy, alert.name);
      const earlier = first.get(key);
      if (!earlier) {
        first.set(key, { manifest, policy, alert, index });
        return [];
      }
      return earlier.alert.state === alert.state ? [] : [contradiction({ manifest, policy, alert, index }, earlier)];
    });
  });
}

function claimKey({ metadata, spec }: RoleAlertPolicy, alert: string): string {
  const { kind, name } = spec.connectionRef;
  return [kind, kind === 'RoleAlertConnection' ? metadata.namespace : '', name, alertKey(spec.scope, alert)].join('\n');
}

function contradiction({ manifest, alert, index }: Declaration, earlier: Declaration): PlacedProblem {
  const where = whereOf(earlier.manifest, ['spec', 'alerts', earlier.index, 'state']);
  const message = `${alert.name} is declared ${alert.state} here, and ${earlier.alert.state} for the same scope at ${where}: Active wins`;
  const fix = 'declare one state, or remove the alert from one of the policies';
  return warning('conflicting-policies', manifest, ['spec', 'alerts', index, 'state'], message, fix);
}

function ended({ manifest, policy }: Declaring, nowMs: number): readonly PlacedProblem[] {
  const endMs = suspensionEndMs(policy.spec);
  const suspension =
    endMs !== undefined && endMs <= nowMs
      ? [
          warning(
            'expired',
            manifest,
            ['spec', 'suspendUntil'],
            'the suspension has ended',
            'remove suspend and suspendUntil',
          ),
        ]
      : [];
  const dismissals = (policy.spec.alerts ?? []).flatMap(({ name, dismissal }, index) => {
    const untilMs = dismissal && dismissalEndMs(dismissal);
    if (untilMs === undefined || untilMs > nowMs) return [];
    const message = `the dismissal of ${name} has ended: the operator keeps the alert active`;
    return [
      warning(
        'expired',
        manifest,
        ['spec', 'alerts', index, 'dismissal', 'until'],
        message,
        'set a later until, or state: Active',
      ),
    ];
  });
  return [...suspension, ...dismissals];
}

function whereOf(manifest: Manifest, path: FieldPath): string {
  const { line, column } = manifest.placeOf(path);
  return `${manifest.file}:${line}:${column}`;
}

function warning(check: Check, manifest: Manifest, path: FieldPath, message: string, fix: string): PlacedProblem {
  return { check, severity: 'warning', path, message, fix, file: manifest.file, place: manifest.placeOf(path) };
}
