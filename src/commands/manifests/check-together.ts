// Warnings for manifests that an API server accepts and that are probably mistakes: policies that contradict each other, and
// dismissals and suspensions that have ended.
import { alertKey } from '../../alerts/resource-id.ts';
import type { JsonObject } from '../../lib/json-shape.ts';
import { connectionKeyOf } from '../../policy/connection-key.ts';
import { dismissalEndMs } from '../../policy/dismissal.ts';
import type { PolicyAlert } from '../../policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { namespacedName } from '../../policy/scope-ref.ts';
import { suspensionEndMs } from '../../policy/suspension.ts';
import { storedPolicy } from './as-stored.ts';
import type { Manifest, PlacedProblem } from './parse-manifests.ts';
import type { Check, FieldPath } from './problem.ts';

/** A policy, and where it is written. */
interface Declaring {
  readonly manifest: Manifest;
  readonly object: RoleAlertPolicy;
}

interface Declaration extends Declaring {
  readonly alert: PolicyAlert;
  readonly index: number;
}

/** `nowMs`: milliseconds since 1970. */
export function checkTogether(
  objects: readonly { readonly manifest: Manifest; readonly object: JsonObject }[],
  nowMs: number,
): readonly PlacedProblem[] {
  const policies = objects.flatMap(({ manifest, object }) => {
    const policy = storedPolicy(object, 'default');
    return policy ? [{ manifest, object: policy }] : [];
  });
  return [...repeatedObjects(policies), ...contradictions(policies), ...policies.flatMap((each) => ended(each, nowMs))];
}

/** The later manifest of one name replaces the earlier one. */
function repeatedObjects(declaring: readonly Declaring[]): readonly PlacedProblem[] {
  const first = new Map<string, Manifest>();
  return declaring.flatMap(({ manifest, object }) => {
    const key = namespacedName(object);
    const earlier = first.get(key);
    if (!earlier || key.endsWith('…')) {
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
  return declaring.flatMap(({ manifest, object }) => {
    if (object.spec.mode !== 'Enforce') return [];
    return (object.spec.alerts ?? []).flatMap((alert, index): PlacedProblem[] => {
      const key = claimKey(object, alert.name);
      const earlier = first.get(key);
      if (!earlier) {
        first.set(key, { manifest, object, alert, index });
        return [];
      }
      return earlier.alert.state === alert.state ? [] : [contradiction({ manifest, object, alert, index }, earlier)];
    });
  });
}

function claimKey(policy: RoleAlertPolicy, alert: string): string {
  return `${connectionKeyOf(policy)}\n${alertKey(policy.spec.scope, alert)}`;
}

function contradiction({ manifest, alert, index }: Declaration, earlier: Declaration): PlacedProblem {
  const where = whereOf(earlier.manifest, ['spec', 'alerts', earlier.index, 'state']);
  const message = `${alert.name} is declared ${alert.state} here, and ${earlier.alert.state} for the same scope at ${where}: Active wins`;
  const fix = 'declare one state, or remove the alert from one of the policies';
  return warning('conflicting-policies', manifest, ['spec', 'alerts', index, 'state'], message, fix);
}

function ended({ manifest, object: { spec } }: Declaring, nowMs: number): readonly PlacedProblem[] {
  const endMs = suspensionEndMs(spec);
  const path = ['spec', 'suspendUntil'];
  const suspension =
    endMs !== undefined && endMs <= nowMs
      ? [warning('expired', manifest, path, 'the suspension has ended', 'remove suspend and suspendUntil')]
      : [];
  const dismissals = (spec.alerts ?? []).flatMap(({ name, dismissal }, index) => {
    const untilMs = dismissal && dismissalEndMs(dismissal);
    if (untilMs === undefined || untilMs > nowMs) return [];
    const message = `the dismissal of ${name} has ended: the operator keeps the alert active`;
    const until = ['spec', 'alerts', index, 'dismissal', 'until'];
    return [warning('expired', manifest, until, message, 'set a later until, or state: Active')];
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
