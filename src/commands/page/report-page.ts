// `rolealerts report`: the fleet as one page that needs nothing else.
import { formatTimestamp } from '../../lib/timestamp.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { type Fleet, type FleetInput, fleetOf } from '../report/fleet.ts';
import { openIncidents } from '../report/incident-counts.ts';
import { objectName } from '../report/object-name.ts';
import type { ReportedEvent } from '../report/reported-event.ts';
import { dismissalsSection, driftSection, incidentsSection } from './chart-sections.ts';
import { findingsSection, pageSection, policiesTable, totalsSection } from './fleet-sections.ts';
import { historyList } from './history-list.ts';
import { markup, type Markup } from './markup.ts';
import { reportDocument } from './page-document.ts';
import { type HistoryEntry, policyHistory } from './policy-history.ts';

export interface ReportInput extends FleetInput {
  /** Which policies it shows: `namespace payments` or `all namespaces`. */
  readonly place: string;
  /** In any order; those of other objects are left out. */
  readonly events: readonly ReportedEvent[];
  /** Why there are no events, as a sentence. */
  readonly eventsNote?: string | undefined;
}

/** Findings of one kind beyond this number are counted. */
const shownFindings = 50;
/** Policies beyond this number have no history: a browser would need too long. */
const shownHistories = 1000;

export function reportPage(input: ReportInput): string {
  const fleet = fleetOf(input);
  const histories = worstFirst(input.policies, fleet).slice(0, shownHistories);
  const anchors = new Map(histories.map((policy, index) => [objectName(policy), `#policy-${index}`]));
  const linkTo = (object: string) => anchors.get(object);
  const title = `Role alerts of ${input.place}`;
  const body = markup`<a class="skip" href="#main">Skip to the content</a>
<header><h1>${title}</h1><p class="quiet">As of ${formatTimestamp(input.nowMs)}.</p>${contents}</header>
<main id="main">
${totalsSection(fleet, openIncidents(input.policies))}${findingsSection({ fleet, notes: input.notes ?? [], linkTo, most: shownFindings })}${incidentsSection(input.policies)}${dismissalsSection(input)}${driftSection(input.policies)}
${pageSection('policies', 'Policies', policiesTable(fleet.policies, linkTo))}
${historySection(histories, input)}</main>`;
  return reportDocument({ title, body });
}

const sections = [
  ['attention', 'What needs attention'],
  ['incidents', 'Open incidents'],
  ['dismissals', 'Dismissals'],
  ['drift', 'Drift'],
  ['policies', 'Policies'],
  ['history', 'History'],
] as const;

const contents = markup`<nav aria-label="Contents"><ul>${sections.map(([id, name]) => markup`<li><a href="#${id}">${name}</a></li>`)}</ul></nav>`;

/** Policies with findings in their order, then the others by name. */
function worstFirst(policies: readonly RoleAlertPolicy[], { findings }: Fleet): readonly RoleAlertPolicy[] {
  const rank = new Map(findings.map(({ object }, index) => [object, index] as const).reverse());
  const rankOf = (policy: RoleAlertPolicy) => rank.get(objectName(policy)) ?? findings.length;
  return policies.toSorted((left, right) => rankOf(left) - rankOf(right));
}

function historySection(
  shown: readonly RoleAlertPolicy[],
  { policies, events, eventsNote, nowMs }: ReportInput,
): Markup {
  const eventsByUid = Map.groupBy(events, ({ uid }) => uid);
  const hidden = policies.length - shown.length;
  const rest = `${hidden} more policies have no history here. To see it, report one namespace with --namespace.`;
  const articles = shown.map((policy, index) =>
    historyArticle(`policy-${index}`, policy, policyHistory(policy, eventsByUid.get(policy.metadata.uid) ?? []), nowMs),
  );
  return pageSection(
    'history',
    'History of each policy',
    markup`${eventsNote === undefined ? undefined : markup`<p class="quiet">${eventsNote}</p>\n`}${articles}${hidden > 0 ? markup`<p class="rest">${rest}</p>` : undefined}`,
  );
}

function historyArticle(
  id: string,
  { metadata: { namespace, name } }: RoleAlertPolicy,
  entries: readonly HistoryEntry[],
  nowMs: number,
): Markup {
  return markup`<article id="${id}" aria-labelledby="${id}-heading"><h3 id="${id}-heading">${namespace}/${name}</h3>
${historyList(entries, nowMs)}</article>
`;
}
