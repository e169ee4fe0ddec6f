// The timeline: the operator's events and the actions of users, rendered for a terminal.

export interface TimelineEntry {
  /** Wall time. */
  readonly atMs: number;
  /** Name of the policy. */
  readonly policy: string;
  /** An event's reason, or a user's action, as a CamelCase word. */
  readonly what: string;
  readonly note: string;
}

/** Formats a time of day. */
export type TimeFormat = (atMs: number) => string;

/** The format `14:03:59`; `timeZone` undefined means the machine's time zone. */
export function createTimeFormat(timeZone: string | undefined): TimeFormat {
  const format = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone });
  return (atMs) => format.format(atMs);
}

/** Actions of other clients, for which the operator has no events. */
export const userActions = {
  activated: 'Activated',
  deactivated: 'Deactivated',
  scanned: 'Scanned',
  requested: 'Requested',
} as const;

/** A short text for each event and action, for the last column of the table. */
const shortForms: Readonly<Record<string, string>> = {
  DriftDetected: 'drift detected, observe only',
  DriftCorrected: 're-activated, verified',
  AlertDeactivated: 'deactivated, verified',
  DeactivatedByOthers: 'deactivated by others',
  DismissalExpired: 'dismissal ended: active',
  DeclarationGone: 'dismissal gone: active',
  NewIncidents: 'new incident: active',
  IncidentsFound: 'new incidents',
  IncidentsResolved: 'incidents resolved',
  SuspensionEnded: 'suspension ended',
  DeactivationDenied: 'deactivation denied',
  [userActions.deactivated]: 'deactivated by a user',
  [userActions.activated]: 'activated by a user',
  [userActions.scanned]: 'incidents found',
  [userActions.requested]: 'reconciled on request',
};

/** By time. A reconcile gives all its events one time; they arrive in any order, and the deactivation by others was first. */
export function compareEntries(one: TimelineEntry, other: TimelineEntry): number {
  return one.atMs - other.atMs || Number(isCause(other)) - Number(isCause(one));
}

function isCause({ what }: TimelineEntry): boolean {
  return what === 'DeactivatedByOthers';
}

export function renderShort(entry: TimelineEntry, timeOf: TimeFormat): string {
  return `${timeOf(entry.atMs)} ${shortForms[entry.what] ?? entry.what}`;
}

/** One line of any length: `14:03:59  corrected     DriftCorrected: Alert …`. */
export function renderEntry({ atMs, policy, what, note }: TimelineEntry, timeOf: TimeFormat): string {
  return `${timeOf(atMs)}  ${policy.padEnd(policyWidth)}  ${what}: ${note}`;
}

const policyWidth = 12;
const indent = ' '.repeat(8 + 2 + policyWidth + 2);

/** The newest entries that fit into the given lines and columns, the newest last. Never cuts an entry. */
export function renderTimeline(
  entries: readonly TimelineEntry[],
  room: { readonly lines: number; readonly columns: number },
  timeOf: TimeFormat,
): readonly string[] {
  let shown: readonly string[] = [];
  for (const entry of [...entries].reverse()) {
    const lines = [...wrap(renderEntry(entry, timeOf), room.columns), ...shown];
    if (lines.length > room.lines) break;
    shown = lines;
  }
  return shown;
}

/** Breaks at spaces, and indents further lines to the beginning of the text if there is enough room. */
function wrap(text: string, columns: number): readonly string[] {
  const hanging = columns > 2 * indent.length ? indent : '  ';
  const lines: string[] = [];
  let rest = text;
  while (rest.length > columns) {
    const space = rest.lastIndexOf(' ', columns);
    const end = space > hanging.length ? space : columns;
    lines.push(rest.slice(0, end).trimEnd());
    rest = hanging + rest.slice(end).trimStart();
  }
  return [...lines, rest];
}
