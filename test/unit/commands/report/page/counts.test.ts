// What the charts of the page count.
import { describe, expect, test } from 'vitest';

import { dismissalRows } from '../../../../../src/commands/page/dismissal-rows.ts';
import { driftByActor } from '../../../../../src/commands/page/drift-counts.ts';
import { totalsSection } from '../../../../../src/commands/page/fleet-sections.ts';
import { policyHistory } from '../../../../../src/commands/page/policy-history.ts';
import { timeText } from '../../../../../src/commands/page/time-text.ts';
import { fleetOf } from '../../../../../src/commands/report/fleet.ts';
import { incidentsByScope } from '../../../../../src/commands/report/incident-counts.ts';
import { at, minuteMs, nowMs, policy } from '../../../../support/builders/objects.ts';
import {
  alertRow,
  condition,
  dismissal,
  dismissing,
  firingRow,
  pagePolicy,
} from '../../../../support/builders/page-fleet.ts';

describe('incidents by scope', () => {
  test('come with most of severity High first, and an unknown severity counts as High', () => {
    const policies = [
      pagePolicy({ name: 'a', alerts: [firingRow('Owners', 9, 'Medium')] }),
      pagePolicy({ name: 'b', alerts: [firingRow('Owners', 1, 'high'), firingRow('Guests', 2, 'Severe')] }),
    ];
    expect(incidentsByScope(policies)).toEqual([
      { scope: 'subscriptions/b', counts: { High: 3, Medium: 0, Low: 0 }, total: 3 },
      { scope: 'subscriptions/a', counts: { High: 0, Medium: 9, Low: 0 }, total: 9 },
    ]);
  });

  test('count an alert once that two policies of the scope show, and leave out inactive ones', () => {
    const scope = 'subscriptions/a';
    const dismissed = alertRow('Guests', { state: 'Dismissed', incidents: { total: 7 } });
    const policies = [
      pagePolicy({ name: 'one', scope, alerts: [firingRow('Owners', 4, 'Low'), dismissed] }),
      pagePolicy({ name: 'two', scope, alerts: [firingRow('OWNERS', 4, 'Low')] }),
    ];
    expect(incidentsByScope(policies)).toEqual([{ scope, counts: { High: 0, Medium: 0, Low: 4 }, total: 4 }]);
  });
});

test('the totals count an incident once, as the chart does, and every policy', () => {
  const scope = 'subscriptions/a';
  const alerts = [firingRow('Owners', 4, 'High')];
  const fleet = fleetOf({
    policies: [
      pagePolicy({ name: 'one', scope, alerts }),
      pagePolicy({ name: 'two', scope, alerts, conditions: [condition('Ready', 'False', 'AlertNotFound')] }),
    ],
    connections: [],
    nowMs,
  });
  const totals = totalsSection(fleet, { total: 4, counts: { High: 4, Medium: 0, Low: 0 } }).text;
  expect(totals).toContain('<dt>Open incidents</dt><dd>4</dd><dd>4 of severity High</dd>');
  expect(totals).toContain('<dt>Policies</dt><dd>2</dd><dd>1 ready, 1 not ready</dd>');
});

test.each([
  [0, 'now'],
  [-59_000, 'now'],
  [61_000, 'in 1 min'],
  [-119 * minuteMs, '119 min ago'],
  [47 * 60 * minuteMs, 'in 47 h'],
  [-50 * 60 * minuteMs, '2 days ago'],
])('a time %d ms away is "%s"', (offsetMs, words) => {
  expect(timeText(at(offsetMs), nowMs).text).toContain(`<span class="quiet">(${words})</span>`);
});

test('a time is in UTC with whole seconds, and other text is shown as it is', () => {
  expect(timeText('2026-06-01T14:00:00.123456+02:00', nowMs).text).toContain('>2026-06-01T12:00:00Z</time>');
  expect(timeText('<soon>', nowMs).text).toBe('&lt;soon&gt;');
});

test('dismissals come by their end, those without one last, each with what else ends it', () => {
  const rows = dismissalRows([
    dismissing(dismissal('Undeclared'), { ...dismissal('Named'), incidents: 2 }),
    dismissing(dismissal('Later', 9), { ...dismissal('Next', 1), maxIncidents: 5 }),
  ]);
  expect(rows.map(({ alert, bound }) => [alert, bound])).toEqual([
    ['Next', 'more than 5 incidents'],
    ['Later', ''],
    ['Named', 'an incident beyond the 2 that it names'],
    ['Undeclared', 'no policy declares it: the operator activates the alert'],
  ]);
});

test('drift is counted by kind of actor and direction, without actors that caused none', () => {
  const drift = (actorClass: 'User' | 'Self', direction: 'Activated' | 'Deactivated') =>
    alertRow('Owners', { lastDrift: { at: at(0), actorClass, direction } });
  const alerts = [
    drift('User', 'Deactivated'),
    drift('Self', 'Activated'),
    drift('User', 'Deactivated'),
    alertRow('Guests'),
  ];
  expect(driftByActor([pagePolicy({ name: 'a', alerts })])).toEqual([
    { actor: 'User', activated: 0, deactivated: 2 },
    { actor: 'Self', activated: 1, deactivated: 0 },
  ]);
});

describe('the history of a policy', () => {
  test('joins conditions, corrections, drift and events, newest first', () => {
    const owners = alertRow('Owners', {
      lastDrift: { at: at(-3 * minuteMs), actorClass: 'ManagedIdentity', direction: 'Deactivated' },
    });
    const shown = pagePolicy({
      name: 'a',
      conditions: [condition('Ready', 'False', 'Flapping', 'It flaps.')],
      alerts: [owners],
      history: [{ at: at(-2 * minuteMs), alert: 'Owners', direction: 'Activated', reason: 'Drift', count: 3 }],
    });
    const event = { uid: 'u', at: at(0), type: 'Warning', reason: 'Flapping', note: 'Held.', count: 2 } as const;
    expect(policyHistory(shown, [event]).map(({ kind, reason, text }) => `${kind} ${reason}: ${text}`)).toEqual([
      'Event Flapping: Held. (2 times)',
      'Condition Flapping: Ready became False. It flaps.',
      'Correction Drift: The operator activated Owners 3 times.',
      'Drift ManagedIdentity: The operator found that Owners had been deactivated, probably by a managed identity.',
    ]);
  });

  test('shows words of a newer operator as they are', () => {
    const lastDrift = { at: at(0), actorClass: 'Robot', direction: 'Paused' };
    const newer = pagePolicy({ name: 'a', conditions: [], alerts: [alertRow('Owners', { lastDrift } as object)] });
    expect(policyHistory(newer, []).map(({ text }) => text)).toEqual([
      'The operator found that Owners had been changed (Paused), probably by an actor of the kind Robot.',
    ]);
    expect(driftByActor([newer])).toEqual([{ actor: 'Robot', activated: 0, deactivated: 1 }]);
  });

  test('of a policy that no operator has decided is empty', () => {
    expect(policyHistory(policy(), [])).toEqual([]);
  });
});
