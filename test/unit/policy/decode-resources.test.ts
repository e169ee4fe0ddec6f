// The limits of valid objects: the least numbers, the words, the depth, and which members may be absent.
import { describe, expect, it } from 'vitest';

import { decodeConnection, decodePolicy } from '../../../src/policy/decode-resources.ts';
import { nested } from '../../support/builders/mutate-json.ts';
import { at, connection, inactive, policy } from '../../support/builders/objects.ts';

const condition = {
  type: 'Ready',
  status: 'True',
  observedGeneration: 1,
  lastTransitionTime: at(0),
  reason: 'Succeeded',
  message: 'Everything is as declared.',
} as const;

const wholePolicy = policy({
  metadata: { labels: { team: 'a' }, annotations: { note: '' } },
  spec: { interval: '15m', alerts: [inactive({ incidents: ['6f1c'], maxIncidents: 3, until: at(1) })] },
});

const wholePolicyStatus = {
  observedGeneration: 1,
  lastHandledReconcileAt: '',
  conditions: [condition],
  effective: { mode: 'Enforce', interval: '15m0s', scope: 'subscriptions/a' },
  summary: { declared: 1, inSync: 1, drifted: 0, missing: 0, dismissed: 0, incidents: 0, inSyncText: '1/1' },
  alerts: [
    {
      name: 'A',
      want: 'Active',
      live: 'Active',
      state: 'Armed',
      result: 'InSync',
      incidents: { total: 0 },
      verifiedAt: at(0),
      lastDrift: { at: at(0), actorClass: 'User', direction: 'Activated' },
    },
  ],
  history: [{ at: at(0), alert: 'A', direction: 'Activated', reason: 'Drift', count: 1 }],
};

const wholeConnection = connection({
  endpoint: { ...connection().spec.endpoint, caBundleRef: { kind: 'ConfigMap', name: 'ca', key: 'ca.crt' } },
  auth: {
    tokenSecretRef: { name: 'credentials', key: 'token' },
    clientCredentials: {
      tokenURL: 'https://login.example/token',
      clientID: 'operator',
      scopes: ['all'],
      clientSecretRef: { name: 'credentials', key: 'secret' },
    },
  },
});

const wholeConnectionStatus = {
  observedGeneration: 1,
  conditions: [condition],
  policies: 0,
  scopes: 0,
  predictedRequestsPerHour: 0,
  recentDeactivations: [{ at: at(0), namespace: 'team', scope: 's', alert: 'A' }],
  dismissalCount: 1,
  dismissals: [
    {
      scope: 's',
      alert: 'A',
      policy: 'team/owners',
      since: at(0),
      until: at(1),
      incidents: 1,
      maxIncidents: 0,
      reason: 'accepted',
      missingSince: at(0),
    },
  ],
};

/** `document` with `value` at a path such as `spec.alerts.0.name`; undefined leaves the member out. */
function withAt(document: unknown, path: string, value: unknown): unknown {
  const [key = '', ...rest] = path.split('.');
  const inner = (document as Record<string, unknown> | undefined)?.[key];
  const next = rest.length > 0 ? withAt(inner, rest.join('.'), value) : value;
  if (Array.isArray(document)) return document.with(Number(key), next);
  const others = Object.entries(document ?? {}).filter(([name]) => name !== key);
  return Object.fromEntries(next === undefined ? others : [...others, [key, next]]);
}

const policyProblem = (path: string, value: unknown) => decodePolicy(withAt(wholePolicy, path, value)).problems[0];

/** As a problem names it: `.spec.alerts[0].name`. */
const nameOf = (path: string) => `.${path}`.replaceAll(/\.(\d+)/g, '[$1]');

describe('a policy', () => {
  it.each([['spec.damping.maxDeactivations', 1]])('has a whole number from its least one on in %s', (path, least) => {
    const found = [least, least - 1, least + 0.5, String(least)].map((value) => policyProblem(path, value));
    expect(found).toEqual([undefined, ...Array(3).fill(nameOf(path))]);
  });

  it.each([
    ['spec.mode', ['Enforce', 'Observe']],
    ['kind', ['RoleAlertPolicy']],
    ['apiVersion', ['rolealerts.dev/v1alpha1']],
  ])('knows every word of %s and no other', (path, words) => {
    expect(words.map((word) => policyProblem(path, word))).toEqual(words.map(() => undefined));
    expect([policyProblem(path, 'Other'), policyProblem(path, '')]).toEqual([nameOf(path), nameOf(path)]);
  });

  it.each(['spec.interval', 'spec.alerts', 'metadata.labels', 'status'])('may be without %s', (path) => {
    expect(policyProblem(path, undefined)).toBeUndefined();
  });

  it.each(['metadata.uid', 'spec.scope', 'spec.alerts.0.name'])('may not be without %s', (path) => {
    expect(policyProblem(path, undefined)).toBe(nameOf(path));
  });

  it('has no empty text where a text is needed, and labels without a value', () => {
    expect(policyProblem('spec.scope', '')).toBe('.spec.scope');
    expect(policyProblem('metadata.labels', { team: '' })).toBeUndefined();
    expect(policyProblem('metadata.labels', { team: 5 })).toBe('.metadata.labels');
    expect(policyProblem('metadata.labels', ['team'])).toBe('.metadata.labels');
  });

  it('is up to sixteen objects deep, whatever its members are called', () => {
    expect([15, 16].map((depth) => policyProblem('spec.more', nested(depth)))).toEqual([undefined, 'spec']);
    expect(decodePolicy([wholePolicy]).problems).toEqual(['spec']);
  });
});

describe('a status', () => {
  const isKept = (path: string, value: unknown) => {
    const isOfPolicy = path.startsWith('policy.');
    const [decode, object, status] = isOfPolicy
      ? [decodePolicy, wholePolicy, wholePolicyStatus]
      : [decodeConnection, wholeConnection, wholeConnectionStatus];
    const changed = withAt(status, path.replace(/^\w+\./, ''), value);
    return decode({ ...object, status: changed }).value?.status === changed;
  };

  it.each([
    ['policy.observedGeneration', -1],
    ['policy.history.0.count', 1],
    ['connection.observedGeneration', -1],
  ])('is kept when %s is %i, and forgotten below', (path, least) => {
    expect([isKept(path, least), isKept(path, least - 1)]).toEqual([true, false]);
  });

  it.each([
    'policy.lastHandledReconcileAt',
    'policy.alerts.0.verifiedAt',
    'connection.recentDeactivations',
    'connection.dismissals',
  ])('is kept without %s', (path) => {
    expect([isKept(path, undefined), isKept(path, { no: 'such thing' })]).toEqual([true, false]);
  });

  it.each(['policy.conditions.0.reason', 'policy.alerts.0.result', 'connection.dismissals.0.alert'])(
    'is forgotten without %s',
    (path) => {
      expect(isKept(path, undefined)).toBe(false);
    },
  );

  it('may hold a condition without words, and no other state', () => {
    expect(isKept('policy.conditions.0.message', '')).toBe(true);
    expect(isKept('policy.conditions.0.status', 'Other')).toBe(false);
  });

  it('that is not there yet is none to replace', () => {
    const { status: _, ...bare } = wholePolicy;
    expect(decodePolicy(bare).value).toBe(bare);
  });

  it('that is lost keeps since when an alert of the ledger is missing', () => {
    const entry = { scope: 's', alert: 'A', policy: 'team/owners', since: at(0) };
    const dismissals = [
      { ...entry, missingSince: at(1) },
      { ...entry, missingSince: 5 },
    ];
    expect(decodeConnection({ ...wholeConnection, status: { dismissals } }).value?.status?.dismissals).toEqual([
      { ...entry, missingSince: at(1) },
      entry,
    ]);
  });
});
