// The component deploy/admission on a real API server: who may declare and widen dismissals, allow deactivation, and abandon
// dismissals in force, each role tried, with the sentence that a user reads.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type Asker, type Method, openKubeRequests } from '../support/rigs/kube-requests.ts';
import { describeWithOwnControlPlane, eventually } from '../support/servers/control-plane.ts';

const team = 'admission-team';
const group = '/apis/rolealerts.dev/v1alpha1';
const policies = `${group}/namespaces/${team}/rolealertpolicies`;
const connections = `${group}/namespaces/${team}/rolealertconnections`;
const clusterConnections = `${group}/clusterrolealertconnections`;
const reason = 'tracked in SEC-1182';
const until = '2027-01-01T00:00:00Z';
const later = '2027-06-01T00:00:00Z';
const earlier = '2026-12-24T00:00:00Z';
const abandoning = { metadata: { finalizers: ['example.dev/hold'] } };

const finalizer = 'rolealerts.dev/dismissals';

const editor: Asker = { user: 'erin', groups: ['system:authenticated'] };
const admin: Asker = { user: 'adam', groups: ['system:authenticated'] };
const platform: Asker = { user: 'paul', groups: ['system:masters'] };
const member: Asker = { user: 'mira', groups: ['system:authenticated', 'rolealerts:dismissers'] };
/** Who prepares the objects. */
const maker: Asker = { user: 'mira', groups: ['system:masters', 'rolealerts:dismissers'] };
const flux: Asker = { user: 'system:serviceaccount:flux-system:kustomize-controller', groups: ['system:masters'] };
const namespaces: Asker = {
  user: 'system:serviceaccount:kube-system:namespace-controller',
  groups: ['system:serviceaccounts'],
};

const who = 'only members of rolealerts-dismissers (group rolealerts:dismissers)';
const asked = 'Ask one of them to apply this policy, or leave the alert as it was.';
const widens = (alerts: string) =>
  `Alert ${alerts}: ${who} may declare an alert Inactive, or widen its dismissal by a later until, further incidents or a larger ` +
  `maxIncidents. ${asked}`;
const allows = (name: string) =>
  `Connection ${name}: ${who} may set spec.deactivation to Allow. Ask one of them to apply this connection, or set ` +
  'spec.deactivation to Deny.';
const keeps =
  `Connection busy has 2 dismissals in force, listed in status.dismissals: ${who} may remove the finalizer ` +
  'rolealerts.dev/dismissals, which leaves the alerts inactive. The operator removes it once they are active again.';

const dismissed = (name: string, bound: object = { until }) => ({
  name,
  state: 'Inactive',
  dismissal: { reason, ...bound },
});
const active = (name: string) => ({ name, state: 'Active' });

function policy(name: string, alerts: readonly object[], spec: object = {}) {
  return {
    apiVersion: 'rolealerts.dev/v1alpha1',
    kind: 'RoleAlertPolicy',
    metadata: { name, namespace: team },
    spec: { connectionRef: { name: 'busy' }, scope: 'subscriptions/a', alerts, ...spec },
  };
}

function connection(name: string, spec: object = {}, metadata: object = {}) {
  return {
    apiVersion: 'rolealerts.dev/v1alpha1',
    kind: 'RoleAlertConnection',
    metadata: { name, namespace: team, ...metadata },
    spec: {
      endpoint: { baseURL: 'https://management.example.net' },
      auth: { tokenSecretRef: { name: 'made', key: 'token' } },
      ...spec,
    },
  };
}

function clusterConnection(name: string, spec: object = {}) {
  const { apiVersion, spec: common } = connection(name);
  return { apiVersion, kind: 'ClusterRoleAlertConnection', metadata: { name }, spec: { ...common, ...spec } };
}

type Attempt = readonly [what: string, asker: Asker, method: Method, path: string, body: object | undefined];

const editing = (alerts: readonly object[], spec: object = {}) => ({ spec: { alerts, ...spec } });
const onQuiet = (what: string, asker: Asker, body: object): Attempt => [
  what,
  asker,
  'PATCH',
  `${policies}/quiet?dryRun=All`,
  body,
];
const creating = (what: string, asker: Asker, object: { readonly kind: string }): Attempt => [
  what,
  asker,
  'POST',
  `${object.kind === 'RoleAlertPolicy' ? policies : connections}?dryRun=All`,
  object,
];
const onBusy = (what: string, asker: Asker, body: object): Attempt => [
  what,
  asker,
  'PATCH',
  `${connections}/busy?dryRun=All`,
  body,
];
const onIdle = (what: string, asker: Asker, body: object): Attempt => [
  what,
  asker,
  'PATCH',
  `${connections}/idle?dryRun=All`,
  body,
];
const deleting = (asker: Asker, name: string): Attempt => [
  `delete connection ${name}`,
  asker,
  'DELETE',
  `${connections}/${name}?dryRun=All`,
  undefined,
];

/** What the policy `quiet` declares. */
const [timed, named, counted] = [
  dismissed('Timed'),
  dismissed('Named', { incidents: ['6f1c', '77aa'] }),
  dismissed('Counted', { maxIncidents: 3, until }),
];
const declared = [timed, named, counted, active('Watched')];
/** The same with another declaration of one alert. */
const change = (alert: { readonly name: string }) =>
  editing(declared.map((each) => (each.name === alert.name ? alert : each)));

const allowed: readonly Attempt[] = [
  creating('create a policy without a dismissal', editor, policy('another', [active('A')])),
  onQuiet('edit nothing about its dismissals', editor, editing(declared, { interval: '1h' })),
  onQuiet('suspend it', editor, { spec: { suspend: true } }),
  onQuiet('declare an alert Active', editor, change(active('Timed'))),
  onQuiet('remove an alert', editor, editing([timed, active('Watched')])),
  onQuiet('set an earlier end', editor, change(dismissed('Timed', { until: earlier }))),
  onQuiet('change the reason', editor, change(dismissed('Timed', { until, reason: 'tracked in SEC-2000' }))),
  onQuiet('add a maximum', editor, change(dismissed('Timed', { until, maxIncidents: 1 }))),
  onQuiet('name the incidents of one with an end', editor, change(dismissed('Timed', { until, incidents: ['6f1c'] }))),
  onQuiet('name fewer incidents', editor, change(dismissed('Named', { incidents: ['6f1c'] }))),
  onQuiet('add an end', editor, change(dismissed('Named', { incidents: ['6f1c'], until: later }))),
  onQuiet('lower the maximum', editor, change(dismissed('Counted', { maxIncidents: 2, until }))),
  onQuiet('name as many as the maximum', editor, change(dismissed('Counted', { incidents: ['1', '2', '3'], until }))),
  onQuiet('write a name in another case', editor, editing([{ ...timed, name: 'TIMED' }, named, counted])),
  onQuiet('dismiss another alert as a member', member, change(dismissed('Watched'))),
  onQuiet('set a later end as a member', member, change(dismissed('Timed', { until: later }))),
  creating('create a policy with a dismissal as a member', member, policy('another', [dismissed('A')])),
  creating('create a connection that denies', admin, connection('another')),
  creating('create a connection that allows as a member', member, connection('another', { deactivation: 'Allow' })),
  onBusy('set Deny', admin, { spec: { deactivation: 'Deny' } }),
  onBusy('edit the limits of a connection that allows', admin, { spec: { limits: { burst: 5 } } }),
  onBusy('abandon the dismissals as a member', member, abandoning),
  deleting(admin, 'busy'),
  onIdle('remove the finalizer of one without dismissals', admin, { metadata: { finalizers: [] } }),
  deleting(admin, 'idle'),
  [
    'create a cluster connection that denies',
    platform,
    'POST',
    `${clusterConnections}?dryRun=All`,
    clusterConnection('c'),
  ],
  deleting(namespaces, 'busy'),
];

const refused: readonly (readonly [Attempt, string])[] = [
  [creating('create a policy with a dismissal', editor, policy('another', [dismissed('A')])), widens('A')],
  [creating('create one with two', admin, policy('another', [dismissed('A'), dismissed('B')])), widens('A and 1 more')],
  [creating('create one as the platform admin', platform, policy('another', [dismissed('A')])), widens('A')],
  [creating('create one as a GitOps controller', flux, policy('another', [dismissed('A')])), widens('A')],
  [
    creating('create one that only observes', editor, policy('another', [dismissed('A')], { mode: 'Observe' })),
    widens('A'),
  ],
  [onQuiet('dismiss another alert', editor, change(dismissed('Watched'))), widens('Watched')],
  [onQuiet('set a later end', editor, change(dismissed('Timed', { until: later }))), widens('Timed')],
  [
    onQuiet('replace the end by incidents', editor, change(dismissed('Timed', { incidents: ['6f1c'] }))),
    widens('Timed'),
  ],
  [
    onQuiet('name further incidents', editor, change(dismissed('Named', { incidents: ['6f1c', '77aa', '9'] }))),
    widens('Named'),
  ],
  [onQuiet('name another incident', admin, change(dismissed('Named', { incidents: ['9'] }))), widens('Named')],
  [onQuiet('name no incident', editor, change(dismissed('Named', { until }))), widens('Named')],
  [onQuiet('raise the maximum', editor, change(dismissed('Counted', { maxIncidents: 4, until }))), widens('Counted')],
  [onQuiet('remove the maximum', editor, change(dismissed('Counted', { until }))), widens('Counted')],
  [
    onQuiet(
      'name more than the maximum',
      editor,
      change(dismissed('Counted', { incidents: ['1', '2', '3', '4'], until })),
    ),
    widens('Counted'),
  ],
  [
    creating('create a connection that allows', admin, connection('another', { deactivation: 'Allow' })),
    allows('another'),
  ],
  [
    ['allow deactivation', admin, 'PATCH', `${connections}/idle?dryRun=All`, { spec: { deactivation: 'Allow' } }],
    allows('idle'),
  ],
  [
    [
      'allow it as the platform admin',
      platform,
      'PATCH',
      `${connections}/idle?dryRun=All`,
      { spec: { deactivation: 'Allow' } },
    ],
    allows('idle'),
  ],
  [
    [
      'create a cluster connection that allows',
      platform,
      'POST',
      `${clusterConnections}?dryRun=All`,
      clusterConnection('c', { deactivation: 'Allow' }),
    ],
    allows('c'),
  ],
  [['abandon those of the cluster', platform, 'PATCH', `${clusterConnections}/busy?dryRun=All`, abandoning], keeps],
  [onBusy('abandon the dismissals', admin, abandoning), keeps],
];

const pathsOf: Readonly<Record<string, string>> = {
  RoleAlertPolicy: policies,
  ClusterRoleAlertConnection: clusterConnections,
};

describeWithOwnControlPlane('admission', (controlPlane) => {
  const api = openKubeRequests(controlPlane);

  const answerTo = async ([, asker, method, path, body]: Attempt) => {
    const { status, body: answer } = await api.send(method, path, body, asker);
    return { status, message: answer?.kind === 'Status' ? answer.message : undefined };
  };
  const make = async (object: { readonly kind: string }) => {
    const path = pathsOf[object.kind] ?? connections;
    const { status, message } = await answerTo(['', maker, 'POST', path, object]);
    expect({ status, message }).toEqual({ status: 201, message: undefined });
  };
  /** As the operator writes it. */
  const setLedger = async (path: string) => {
    const { body } = await api.send('GET', path);
    const since = '2026-11-22T08:00:00Z';
    const entry = { scope: 'subscriptions/a', policy: `${team}/quiet`, since };
    const dismissals = ['Timed', 'Named'].map((alert) => ({ ...entry, alert }));
    const answer = await api.send('PUT', `${path}/status`, { ...body, status: { dismissals } });
    expect(answer.status).toBe(200);
    await api.send('PATCH', path, { metadata: { finalizers: [finalizer] } });
  };

  beforeAll(async () => {
    const overlay = await mkdtemp(join(controlPlane.scratchDirectory, 'overlay-'));
    const from = (path: string) => relative(overlay, new URL(`../../${path}`, import.meta.url).pathname);
    const kustomization = { resources: [from('deploy/base')], components: [from('deploy/admission')] };
    await writeFile(join(overlay, 'kustomization.yaml'), JSON.stringify(kustomization));
    await controlPlane.kubectl(['apply', '--server-side', '--kustomize', overlay]);
    await controlPlane.kubectl(['create', 'namespace', team]);
    for (const [role, user] of [
      ['edit', 'erin'],
      ['admin', 'adam'],
      ['admin', 'mira'],
    ] as const)
      await controlPlane.kubectl([
        'create',
        'rolebinding',
        user,
        `--clusterrole=${role}`,
        `--user=${user}`,
        '-n',
        team,
      ]);
    const first = new Set(['create a policy with a dismissal', 'create a connection that allows']);
    const attempts = refused.filter(([[what]]) => first.has(what));
    await eventually('the roles and the rules apply', async () => {
      const answers = await Promise.all(attempts.map(([attempt]) => answerTo(attempt)));
      const isRuled = answers.every(({ message }, index) => message?.includes(attempts[index]?.[1] ?? '?') === true);
      return isRuled ? true : undefined;
    });
    await make(connection('busy', { deactivation: 'Allow' }));
    await make(connection('idle', {}, { finalizers: [finalizer] }));
    await make(policy('quiet', declared));
    await make(clusterConnection('busy', { deactivation: 'Allow' }));
    for (const path of [`${connections}/busy`, `${clusterConnections}/busy`]) await setLedger(path);
  });

  afterAll(() => api.stop());

  const titled = allowed.map((attempt) => ({ what: attempt[0], asker: attempt[1], attempt }));
  test.each(titled)('$asker.user may $what', async ({ attempt }) => {
    const { status, message } = await answerTo(attempt);
    expect({ isAllowed: status < 300, message }).toEqual({ isAllowed: true, message: undefined });
  });

  const sentences = refused.map(([attempt, sentence]) => ({ what: attempt[0], asker: attempt[1], attempt, sentence }));
  test.each(sentences)('$asker.user may not $what, and reads why', async ({ attempt, sentence }) => {
    const { status, message } = await answerTo(attempt);
    expect({ status, sentence: message?.split('denied request: ')[1] }).toEqual({ status: 403, sentence });
  });

  test('kubectl prints the sentence', async () => {
    const patch = JSON.stringify([{ op: 'remove', path: '/metadata/finalizers' }]);
    const args = ['patch', 'rolealertconnection', 'busy', '-n', team, '--type=json', '-p', patch, '--as=adam'];
    const { exitCode, stderr } = await controlPlane.tryKubectl(args);
    expect(exitCode).toBe(1);
    expect(stderr.trim()).toBe(
      `Error from server (Forbidden): rolealertconnections.rolealerts.dev "busy" is forbidden: ValidatingAdmissionPolicy ` +
        `'rolealerts-deactivation' with binding 'rolealerts-deactivation' denied request: ${keeps}`,
    );
  });

  test('the API server finds nothing wrong in the types of the expressions', async () => {
    for (const name of ['rolealerts-dismissals', 'rolealerts-deactivation']) {
      const path = `/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/${name}`;
      const status = await eventually('the type check', async () => {
        const { body } = await api.send('GET', path);
        const found = body?.status as { typeChecking?: { expressionWarnings?: object[] } } | undefined;
        return found?.typeChecking;
      });
      expect({ name, ...status }).toEqual({ name });
    }
  });

  test('a policy as large as the schema allows is judged within the cost limit', async () => {
    const ids = (first: string) => Array.from({ length: 64 }, (_, index) => `${first}${index}`.padEnd(256, 'x'));
    const names = Array.from({ length: 64 }, (_, index) => `Alert${index}`.padEnd(256, 'x'));
    const all = (first: string) => names.map((name) => dismissed(name, { incidents: ids(first) }));
    await make(policy('large', all('a')));
    const path = `${policies}/large?dryRun=All`;
    expect(
      await answerTo([
        'narrow it',
        editor,
        'PATCH',
        path,
        editing(
          all('a').map((alert) => ({ ...alert, dismissal: { reason: 'tracked in SEC-2000', incidents: ids('a') } })),
        ),
      ]),
    ).toEqual({
      status: 200,
      message: undefined,
    });
    const { message } = await answerTo(['widen it', editor, 'PATCH', path, editing(all('b'))]);
    expect(message).toContain(`Alert ${names[0]} and 63 more: ${who}`);
  });

  describe('the list of members', () => {
    const members = `/api/v1/namespaces/rolealerts-system/configmaps/rolealerts-dismissers`;
    const first = refused.find(([[, asker]]) => asker === flux);

    test('admits a ServiceAccount that it names, and refuses everything once it is gone', async () => {
      if (!first) throw new Error('there is an attempt of a GitOps controller');
      const users = 'system:serviceaccount:flux-system:kustomize-controller\n';
      await api.send('PATCH', members, { data: { users } });
      await eventually('the member', async () => ((await answerTo(first[0])).status === 201 ? true : undefined));
      const named = await answerTo([
        'create one',
        editor,
        'POST',
        `${policies}?dryRun=All`,
        policy('b', [dismissed('A')]),
      ]);
      expect(named.message).toContain(
        'only members of rolealerts-dismissers (group rolealerts:dismissers, user system:serviceaccount:flux-system:kustomize-controller)',
      );
      await api.send('DELETE', members);
      const message = await eventually('the refusal', async () => {
        const answer = await answerTo(creating('create one', member, policy('c', [dismissed('A')])));
        return answer.status >= 400 ? answer.message : undefined;
      });
      expect(message).toContain('rolealerts-dismissals');
    });
  });
});
