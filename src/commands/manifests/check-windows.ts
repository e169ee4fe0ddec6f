// Warnings for correction windows that never let a deactivation through, of one object, and of a policy and its connection together.
import { connectionKeyOf } from '../../policy/connection-key.ts';
import { type WindowSet, windowState } from '../../policy/correction-windows.ts';
import type { AnyConnection, RoleAlertPolicy } from '../../policy/resources.ts';
import type { FieldPath } from './field-path.ts';
import type { Manifest, PlacedProblem } from './parse-manifests.ts';

/** A policy or a connection, and where it is written. */
export interface Placed<T extends RoleAlertPolicy | AnyConnection> {
  readonly manifest: Manifest;
  readonly object: T;
}

const windowsPath = ['spec', 'correctionWindows'];

/** `nowMs`: milliseconds since 1970. */
export function checkWindows(
  policies: readonly Placed<RoleAlertPolicy>[],
  connections: readonly Placed<AnyConnection>[],
  nowMs: number,
): readonly PlacedProblem[] {
  const byKey = new Map(connections.map((each) => [keyOf(each), each]));
  const alone = [...policies, ...connections].flatMap((each) => closedAlone(each, nowMs));
  const together = policies.flatMap((policy) => {
    const connection = byKey.get(connectionKeyOf(policy.object));
    return connection ? closedTogether(policy, connection, nowMs) : [];
  });
  return [...alone, ...together];
}

/** As `connectionKeyOf`. */
function keyOf({ object: { metadata } }: Placed<AnyConnection>): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}

const windowsOf = ({ object }: Placed<RoleAlertPolicy | AnyConnection>): WindowSet =>
  object.spec.correctionWindows ?? [];

function closedAlone(
  { manifest, object }: Placed<RoleAlertPolicy | AnyConnection>,
  nowMs: number,
): readonly PlacedProblem[] {
  const windows = object.spec.correctionWindows ?? [];
  const state = windowState([windows], nowMs);
  if (state.kind === 'Never') {
    const message = `the windows do not open in the next two weeks: ${noWindowAhead}`;
    return [warning(manifest, windowsPath, message, 'remove or shorten a Deny, or add an Allow')];
  }
  if (state.kind !== 'Invalid') return [];
  const value = windows[state.window]?.[state.member] ?? '';
  const cause = state.member === 'schedule' ? `no date fulfils "${value}"` : `this program cannot read "${value}"`;
  const message = `${cause}: all windows of the object stay closed, and the operator reports WindowInvalid`;
  return [warning(manifest, [...windowsPath, state.window, state.member], message, 'correct it, or remove the window')];
}

const noWindowAhead = 'the operator sends no deactivation and reports NoWindowAhead';

function closedTogether(
  policy: Placed<RoleAlertPolicy>,
  connection: Placed<AnyConnection>,
  nowMs: number,
): readonly PlacedProblem[] {
  const sets = [windowsOf(policy), windowsOf(connection)];
  if (sets.some((windows) => windows.length === 0 || !mayOpen([windows], nowMs)) || mayOpen(sets, nowMs)) return [];
  const { line, column } = connection.manifest.placeOf(windowsPath);
  const where = `${nameOf(connection)} at ${connection.manifest.file}:${line}:${column}`;
  const message = `the windows and those of ${where} do not open together in the next two weeks: ${noWindowAhead}`;
  return [warning(policy.manifest, windowsPath, message, 'change one of them so that they overlap')];
}

function nameOf({ object: { kind, metadata } }: Placed<AnyConnection>): string {
  const { namespace, name } = metadata;
  return namespace === undefined ? `${kind} ${name}` : `connection ${namespace}/${name}`;
}

function mayOpen(sets: readonly WindowSet[], nowMs: number): boolean {
  const { kind } = windowState(sets, nowMs);
  return kind === 'Open' || kind === 'Closed';
}

function warning(manifest: Manifest, path: FieldPath, message: string, fix: string): PlacedProblem {
  return {
    check: 'closed-windows',
    severity: 'warning',
    path,
    message,
    fix,
    file: manifest.file,
    place: manifest.placeOf(path),
  };
}
