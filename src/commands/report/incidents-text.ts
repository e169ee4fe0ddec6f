// The firing alerts as text for a terminal or a pipe, and as JSON.
import type { IncidentDetails } from '../../alerts/incident-details.ts';
import { canonicalName } from '../../alerts/resource-id.ts';
import { cleanText } from '../../lib/clean-text.ts';
import { alignColumns, cutLine } from '../../lib/columns.ts';
import { formatAge } from '../../lib/duration.ts';
import type { FiringAlert } from './incidents.ts';

export interface IncidentsOptions {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** The width of a terminal; 0 for a pipe, whose lines are never cut. */
  readonly columns: number;
  /** With the ids that the statuses hold. */
  readonly isWide: boolean;
  /** Of a scope, by `revealKey`; undefined unless the person asked to see it. */
  readonly revealed?: Revealed | undefined;
}

export type Revealed = ReadonlyMap<string, readonly IncidentDetails[]>;

/** One list of the service: a connection and a scope. */
export function revealKey({ connection, scope }: Pick<FiringAlert, 'connection' | 'scope'>): string {
  return `${connection} ${scope}`;
}

export function incidentsText(firing: readonly FiringAlert[], options: IncidentsOptions): string {
  if (firing.length === 0) return 'No incidents are open.\n';
  const head = ['SEVERITY', 'AGE', 'INCIDENTS', 'ALERT', 'SCOPE', 'POLICIES', ...(options.isWide ? ['IDS'] : [])];
  const [first = '', ...rows] = alignColumns([head, ...firing.map((each) => rowOf(each, options))]);
  const lines = firing.flatMap((each, index) => [rows[index] ?? '', ...revealedLines(each, options.revealed)]);
  const { columns } = options;
  return `${[first, ...lines].map((line) => (columns === 0 ? line : cutLine(line, columns))).join('\n')}\n`;
}

function rowOf(firing: FiringAlert, { nowMs, isWide }: IncidentsOptions): readonly string[] {
  const { severity, since, total, alert, scope, policies, ids } = firing;
  const age = since === undefined ? '' : formatAge(nowMs - Date.parse(since));
  const cells = [severity, age, String(total), alert, scope, policies.join(','), ...(isWide ? [ids.join(',')] : [])];
  return cells.map((cell) => cleanText(cell, 4096));
}

function revealedLines(firing: FiringAlert, revealed: Revealed | undefined): readonly string[] {
  const shown = revealed && detailsOf(firing, revealed);
  if (!shown) return [];
  return shown.map(({ id, type, details }) => {
    const members = Object.entries(details).map(([member, value]) => `${member}=${JSON.stringify(value)}`);
    return `  ${[id, type, ...members].join('  ')}`;
  });
}

/** Undefined when the list of the scope is missing. */
function detailsOf(firing: FiringAlert, revealed: Revealed): readonly IncidentDetails[] | undefined {
  const name = canonicalName(firing.alert);
  return revealed.get(revealKey(firing))?.filter(({ alert }) => canonicalName(alert) === name);
}

/** The shape is a contract: within a version members may be added, never renamed or removed. */
export function incidentsJson(firing: readonly FiringAlert[], revealed: Revealed | undefined): object {
  const items = firing.map((each) => {
    const details = revealed && detailsOf(each, revealed);
    const incidents = details?.map(({ id, type, details: members }) => ({ id, type, details: members }));
    return { ...each, ...(incidents && { incidents }) };
  });
  return { apiVersion: 'cli.rolealerts.dev/v1', kind: 'IncidentList', items };
}
