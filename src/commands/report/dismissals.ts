// The dismissals in force, from the statuses of the connections and of the policies.
import { byText } from '../../lib/compare-text.ts';
import { type DismissalInForce, dismissalsInForce } from '../../operator/dismissals/register.ts';
import { connectionName } from '../../operator/reasons/message-facts.ts';
import type { FleetInput } from './fleet.ts';
import type { Section } from './model.ts';
import { timeLeft } from './timeline.ts';

const byWords = { Operator: 'the operator', Other: 'another client', Unknown: 'not known' } as const;

/** The next one that ends comes first; those without an end come last. */
export function dismissalsSection({ policies, connections, nowMs }: FleetInput): Section {
  const dismissals = dismissalsInForce(policies, connections, nowMs)
    .map(({ connection, ...each }) => Object.assign(each, { connection: connectionName('connection', connection) }))
    .sort((a, b) => endOf(a) - endOf(b) || byText(a.scope, b.scope) || byText(a.alert, b.alert));
  return {
    id: 'dismissals',
    heading: 'Dismissals in force',
    columns: [
      ...['alert', 'scope', 'policy', 'ends', 'in', 'also ends with', 'deactivated by'].map((name) => ({ name })),
      { name: 'since', isWide: true },
      { name: 'connection', isWide: true },
      { name: 'reason' },
    ],
    rows: dismissals.map((each) => ({
      cells: [
        each.alert,
        each.scope,
        each.policy,
        each.until ?? 'no end',
        each.until === undefined ? '' : timeLeft(Date.parse(each.until) - nowMs),
        boundOf(each),
        byWords[each.deactivatedBy],
        each.since ?? '',
        each.connection,
        each.reason ?? 'not shared',
      ],
    })),
    nothing: 'No dismissal is in force.',
    data: { dismissals },
  };
}

/** What else ends it. */
function boundOf({ incidents, maxIncidents, until }: DismissalInForce): string {
  if (incidents !== undefined) return `an incident beyond the ${incidents} that it names`;
  if (maxIncidents !== undefined) return `more than ${maxIncidents} incidents`;
  return until === undefined ? 'no policy declares it: the operator activates the alert' : '';
}

function endOf({ until }: DismissalInForce): number {
  return until === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(until);
}
