// The dismissals in force, from the statuses of the connections.
import { byText } from '../../lib/compare-text.ts';
import type { DismissalRecord } from '../../policy/generated/role-alert-connection.ts';
import type { AnyConnection } from '../../policy/resources.ts';
import type { Section } from './model.ts';
import { objectName } from './object-name.ts';
import { timeLeft } from './timeline.ts';

/** The next one that ends comes first; those without an end come last. */
export function dismissalsSection(connections: readonly AnyConnection[], nowMs: number): Section {
  const dismissals = connections
    .flatMap((connection) =>
      (connection.status?.dismissals ?? []).map((record) =>
        Object.assign({ connection: objectName(connection) }, record),
      ),
    )
    .sort((a, b) => endOf(a) - endOf(b) || byText(a.scope, b.scope) || byText(a.alert, b.alert));
  return {
    id: 'dismissals',
    heading: 'Dismissals in force',
    columns: [
      ...['alert', 'scope', 'policy', 'ends', 'in', 'also ends with'].map((name) => ({ name })),
      { name: 'since', isWide: true },
      { name: 'connection', isWide: true },
      { name: 'reason' },
    ],
    rows: dismissals.map((record) => ({
      cells: [
        record.alert,
        record.scope,
        { text: record.policy, policy: record.policy },
        record.until ?? 'no end',
        record.until === undefined ? '' : timeLeft(Date.parse(record.until) - nowMs),
        boundOf(record),
        record.since,
        record.connection,
        record.reason ?? 'not shared',
      ],
    })),
    nothing: 'No dismissal is in force.',
    data: { dismissals },
  };
}

/** What else ends it. */
function boundOf({ incidents, maxIncidents, until }: DismissalRecord): string {
  if (incidents !== undefined) return `an incident beyond the ${incidents} that it names`;
  if (maxIncidents !== undefined) return `more than ${maxIncidents} incidents`;
  return until === undefined ? 'no policy declares it: the operator activates the alert' : '';
}

function endOf({ until }: DismissalRecord): number {
  return until === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(until);
}
