// What the operator, a viewer, an editor, an admin and a platform admin can and cannot do under exactly the manifests of deploy/base, in their own
// namespace, in that of another team and in the cluster, each shown by a real attempt
// (with dryRun where it would write; who may do what is decided before that is checked).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { openKubeRequests, type Asker, type Method } from '../support/rigs/kube-requests.ts';
import { describeWithOwnControlPlane, eventually } from '../support/servers/control-plane.ts';

type Attempt = readonly [what: string, method: Method, path: string, body?: object];

const team = 'rbac-team';
/** Another team, where no user of the first one has a role. */
const otherTeam = 'rbac-other';
const policies = `/apis/rolealerts.dev/v1alpha1/namespaces/${team}/rolealertpolicies`;
const connections = `/apis/rolealerts.dev/v1alpha1/namespaces/${team}/rolealertconnections`;
const core = `/api/v1/namespaces/${team}`;
const allPolicies = '/apis/rolealerts.dev/v1alpha1/rolealertpolicies';
const dry = 'dryRun=All';

const resource = { apiVersion: 'rolealerts.dev/v1alpha1', metadata: { name: 'made', namespace: team } };
const policy = {
  ...resource,
  kind: 'RoleAlertPolicy',
  spec: { connectionRef: { name: 'made' }, scope: 'subscriptions/a', unlisted: { state: 'Active' } },
};
const connection = {
  ...resource,
  kind: 'RoleAlertConnection',
  spec: {
    endpoint: { baseURL: 'https://management.example.net' },
    auth: { tokenSecretRef: { name: 'made', key: 'token' } },
  },
};
const event = {
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { name: 'made', namespace: team },
  eventTime: '2026-11-21T08:00:00.000000Z',
  reportingController: 'rolealerts',
  reportingInstance: 'rolealerts-0',
  action: 'Reconcile',
  reason: 'DriftDetected',
  type: 'Normal',
  regarding: { apiVersion: resource.apiVersion, kind: policy.kind, name: 'made', namespace: team },
};
const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'made' }, spec: { containers: [] } };
const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'rolealerts' } };
const leases = '/apis/coordination.k8s.io/v1/namespaces/rolealerts-system/leases';
const byLeaseName = 'fieldSelector=metadata.name%3Drolealerts';
const anotherLease = { ...lease, metadata: { name: 'another' } };
const another = { ...policy, metadata: { name: 'another', namespace: team } };
const anotherConnection = { ...connection, metadata: { name: 'another', namespace: team } };

const clusterConnections = '/apis/rolealerts.dev/v1alpha1/clusterrolealertconnections';
const clusterConnection = { ...connection, kind: 'ClusterRoleAlertConnection', metadata: { name: 'rbac-made' } };
const anotherClusterConnection = { ...clusterConnection, metadata: { name: 'rbac-another' } };

const readingPolicies: readonly Attempt[] = [
  ['get a policy', 'GET', `${policies}/made`],
  ['list policies', 'GET', policies],
  ['watch policies', 'GET', `${policies}?watch=true&timeoutSeconds=5`],
];
const readingConnections: readonly Attempt[] = [
  ['get a connection', 'GET', `${connections}/made`],
  ['list connections', 'GET', connections],
  ['watch connections', 'GET', `${connections}?watch=true&timeoutSeconds=5`],
];
const writingPolicies: readonly Attempt[] = [
  ['create a policy', 'POST', `${policies}?${dry}`, another],
  ['update a policy', 'PUT', `${policies}/made?${dry}`, policy],
  ['patch a policy', 'PATCH', `${policies}/made?${dry}`, { spec: { suspend: true } }],
  [
    'patch a finalizer into a policy',
    'PATCH',
    `${policies}/made?${dry}`,
    { metadata: { finalizers: ['a.example/b'] } },
  ],
  ['delete a policy', 'DELETE', `${policies}/made?${dry}`],
  ['delete all policies', 'DELETE', `${policies}?${dry}`],
];
/** RBAC knows no finer right than to patch the whole object. */
const patchingConnections: readonly Attempt[] = [
  ['patch a connection', 'PATCH', `${connections}/made?${dry}`, { spec: { deactivation: 'Allow' } }],
];
const creatingConnections: readonly Attempt[] = [
  ['create a connection', 'POST', `${connections}?${dry}`, anotherConnection],
  ['update a connection', 'PUT', `${connections}/made?${dry}`, connection],
  ['delete a connection', 'DELETE', `${connections}/made?${dry}`],
  ['delete all connections', 'DELETE', `${connections}?${dry}`],
];
const writingConnections = [...creatingConnections, ...patchingConnections];
const readingClusterConnections: readonly Attempt[] = [
  ['get a cluster connection', 'GET', `${clusterConnections}/rbac-made`],
  ['list cluster connections', 'GET', clusterConnections],
  ['watch cluster connections', 'GET', `${clusterConnections}?watch=true&timeoutSeconds=5`],
];
const patchingClusterConnections: readonly Attempt[] = [
  ['grant access', 'PATCH', `${clusterConnections}/rbac-made?${dry}`, { spec: { access: [] } }],
];
const creatingClusterConnections: readonly Attempt[] = [
  ['create a cluster connection', 'POST', `${clusterConnections}?${dry}`, anotherClusterConnection],
  ['update a cluster connection', 'PUT', `${clusterConnections}/rbac-made?${dry}`, clusterConnection],
  ['delete a cluster connection', 'DELETE', `${clusterConnections}/rbac-made?${dry}`],
  ['delete all cluster connections', 'DELETE', `${clusterConnections}?${dry}`],
];
const writingClusterConnections = [...creatingClusterConnections, ...patchingClusterConnections];
const updatingStatuses: readonly Attempt[] = [
  ['update the status of a policy', 'PUT', `${policies}/made/status?${dry}`, policy],
  ['update the status of a connection', 'PUT', `${connections}/made/status?${dry}`, connection],
  [
    'update the status of a cluster connection',
    'PUT',
    `${clusterConnections}/rbac-made/status?${dry}`,
    clusterConnection,
  ],
];
const patchingStatuses: readonly Attempt[] = [
  ['patch the status of a policy', 'PATCH', `${policies}/made/status?${dry}`, { status: { observedGeneration: 9 } }],
  ['patch the ledger of a connection', 'PATCH', `${connections}/made/status?${dry}`, { status: { dismissals: [] } }],
  [
    'patch the ledger of a cluster connection',
    'PATCH',
    `${clusterConnections}/rbac-made/status?${dry}`,
    { status: { dismissals: [] } },
  ],
];
const byName: readonly Attempt[] = [
  ['get a Secret', 'GET', `${core}/secrets/made`],
  ['get a ConfigMap', 'GET', `${core}/configmaps/made`],
];
const everywhere: readonly Attempt[] = [
  ['list the policies of all namespaces', 'GET', allPolicies],
  ['watch the policies of all namespaces', 'GET', `${allPolicies}?watch=true&timeoutSeconds=5`],
];
const readingNamespaces: readonly Attempt[] = [
  ['get a namespace', 'GET', `/api/v1/namespaces/${team}`],
  ['list namespaces', 'GET', '/api/v1/namespaces'],
  ['watch namespaces', 'GET', '/api/v1/namespaces?watch=true&timeoutSeconds=5'],
];
/** The labels of a namespace decide what a cluster connection grants. */
const labellingNamespaces: readonly Attempt[] = [
  ['label a namespace', 'PATCH', `/api/v1/namespaces/${team}?${dry}`, { metadata: { labels: { team: 'payments' } } }],
];
const holdingTheLease: readonly Attempt[] = [
  ['create a Lease', 'POST', `${leases}?${dry}`, anotherLease],
  ['get its Lease', 'GET', `${leases}/rolealerts`],
  ['list its Lease', 'GET', `${leases}?${byLeaseName}`],
  ['watch its Lease', 'GET', `${leases}?watch=true&timeoutSeconds=5&${byLeaseName}`],
  ['update its Lease', 'PUT', `${leases}/rolealerts?${dry}`, lease],
];
const beyondTheOperator: readonly Attempt[] = [
  ['list Secrets', 'GET', `${core}/secrets`],
  ['watch Secrets', 'GET', `${core}/secrets?watch=true&timeoutSeconds=5`],
  ['watch one Secret', 'GET', `${core}/secrets?watch=true&timeoutSeconds=5&fieldSelector=metadata.name%3Dmade`],
  ['list the Secrets of all namespaces', 'GET', '/api/v1/secrets'],
  [
    'label a Secret',
    'PATCH',
    `${core}/secrets/made?${dry}`,
    { metadata: { labels: { 'rolealerts.dev/credential': 'true' } } },
  ],
  ['create a Secret', 'POST', `${core}/secrets?${dry}`, { metadata: { name: 'another' } }],
  ['delete a Secret', 'DELETE', `${core}/secrets/made?${dry}`],
  ['list ConfigMaps', 'GET', `${core}/configmaps`],
  ['write a ConfigMap', 'PATCH', `${core}/configmaps/made?${dry}`, { data: { a: 'b' } }],
  ['delete events', 'DELETE', `/apis/events.k8s.io/v1/namespaces/${team}/events?${dry}`],
  ['list events', 'GET', `/apis/events.k8s.io/v1/namespaces/${team}/events`],
  ['create a pod', 'POST', `${core}/pods?${dry}`, pod],
  ['list pods', 'GET', `${core}/pods`],
  ['get another Lease', 'GET', `${leases}/kept`],
  ['update another Lease', 'PUT', `${leases}/kept?${dry}`, anotherLease],
  ['list all Leases', 'GET', leases],
  ['watch all Leases', 'GET', `${leases}?watch=true&timeoutSeconds=5`],
  ['delete its Lease', 'DELETE', `${leases}/rolealerts?${dry}`],
  ['patch its Lease', 'PATCH', `${leases}/rolealerts?${dry}`, { spec: { holderIdentity: 'x' } }],
  ['create a Lease elsewhere', 'POST', `/apis/coordination.k8s.io/v1/namespaces/${team}/leases?${dry}`, lease],
  ['make a token for itself', 'POST', '/api/v1/namespaces/rolealerts-system/serviceaccounts/rolealerts/token', {}],
  ['make a token of a ServiceAccount of a team', 'POST', `${core}/serviceaccounts/made/token?${dry}`, {}],
  ['get a ServiceAccount of a team', 'GET', `${core}/serviceaccounts/made`],
  ['bind a role', 'POST', `/apis/rbac.authorization.k8s.io/v1/namespaces/${team}/rolebindings?${dry}`, {}],
  ['create a namespace', 'POST', `/api/v1/namespaces?${dry}`, { metadata: { name: 'rbac-third' } }],
  ['read the custom resource definitions', 'GET', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'],
  ['read its own role', 'GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles/rolealerts-operator'],
];

const secretsOfTheTeam: readonly Attempt[] = [
  ['get a Secret', 'GET', `${core}/secrets/made`],
  ['list Secrets', 'GET', `${core}/secrets`],
  ['list the Secrets of all namespaces', 'GET', '/api/v1/secrets'],
];
const tokens: readonly Attempt[] = [
  ['make a token of a ServiceAccount', 'POST', `${core}/serviceaccounts/made/token?${dry}`, {}],
  [
    'make a token of the operator',
    'POST',
    `/api/v1/namespaces/rolealerts-system/serviceaccounts/rolealerts/token?${dry}`,
    {},
  ],
];
const inTheOtherTeam = (path: string) => path.replaceAll(team, otherTeam);
/** A role in one namespace gives nothing in another one. */
const objectsOfTheOtherTeam: readonly Attempt[] = [
  ['get a policy of another team', 'GET', inTheOtherTeam(`${policies}/made`)],
  ['list the policies of another team', 'GET', inTheOtherTeam(policies)],
  ['suspend a policy of another team', 'PATCH', inTheOtherTeam(`${policies}/made?${dry}`), { spec: { suspend: true } }],
  ['delete a policy of another team', 'DELETE', inTheOtherTeam(`${policies}/made?${dry}`)],
  ['get a connection of another team', 'GET', inTheOtherTeam(`${connections}/made`)],
  [
    'allow deactivation for another team',
    'PATCH',
    inTheOtherTeam(`${connections}/made?${dry}`),
    { spec: { deactivation: 'Allow' } },
  ],
  ['get a Secret of another team', 'GET', inTheOtherTeam(`${core}/secrets/made`)],
];
const theOperatorItself: readonly Attempt[] = [
  ['get the Lease of the operator', 'GET', `${leases}/rolealerts`],
  ['take over the Lease of the operator', 'PATCH', `${leases}/rolealerts?${dry}`, { spec: { holderIdentity: 'x' } }],
  [
    'change the role of the operator',
    'PATCH',
    `/apis/rbac.authorization.k8s.io/v1/clusterroles/rolealerts-operator?${dry}`,
    { rules: [] },
  ],
  ['stop the operator', 'DELETE', `/apis/apps/v1/namespaces/rolealerts-system/deployments/rolealerts?${dry}`],
];
/** What no role of a team gives. */
const beyondATeam: readonly Attempt[] = [
  ...readingClusterConnections,
  ...writingClusterConnections,
  ...labellingNamespaces,
  ...updatingStatuses,
  ...patchingStatuses,
  ...everywhere,
  ...objectsOfTheOtherTeam,
  ...theOperatorItself,
  ['list the Secrets of all namespaces', 'GET', '/api/v1/secrets'],
];

interface Person {
  readonly who: string;
  /** The ClusterRoles that are bound in the namespace of the team. */
  readonly roles: readonly string[];
  readonly may: readonly Attempt[];
  readonly mayNot: readonly Attempt[];
}

/** The roles of Kubernetes, which include those of this operator, and the latter alone, which give nothing but our resources. */
const users: readonly Person[] = [
  {
    who: 'view',
    roles: ['view'],
    may: [...readingPolicies, ...readingConnections],
    mayNot: [...writingPolicies, ...writingConnections, ...secretsOfTheTeam, ...tokens, ...beyondATeam],
  },
  {
    who: 'edit',
    roles: ['edit'],
    may: [...readingPolicies, ...readingConnections, ...writingPolicies],
    mayNot: [...writingConnections, ...beyondATeam],
  },
  {
    who: 'admin',
    roles: ['admin'],
    may: [...readingPolicies, ...readingConnections, ...writingPolicies, ...writingConnections],
    mayNot: beyondATeam,
  },
  {
    who: 'rolealerts-view',
    roles: ['rolealerts-view'],
    may: [...readingPolicies, ...readingConnections],
    mayNot: [...writingPolicies, ...writingConnections, ...secretsOfTheTeam, ...tokens, ...beyondATeam],
  },
  {
    who: 'rolealerts-edit',
    roles: ['rolealerts-view', 'rolealerts-edit'],
    may: [...readingPolicies, ...readingConnections, ...writingPolicies],
    mayNot: [...writingConnections, ...secretsOfTheTeam, ...tokens, ...beyondATeam],
  },
  {
    who: 'rolealerts-admin',
    roles: ['rolealerts-view', 'rolealerts-edit', 'rolealerts-admin'],
    may: [...readingPolicies, ...readingConnections, ...writingPolicies, ...writingConnections],
    mayNot: [...secretsOfTheTeam, ...tokens, ...beyondATeam],
  },
];

const platformAdmin: Person = {
  who: 'rolealerts-platform-admin',
  roles: [],
  may: [
    ...readingClusterConnections,
    ...writingClusterConnections,
    ...readingPolicies,
    ...readingConnections,
    ...everywhere,
  ],
  mayNot: [
    ...writingPolicies,
    ...writingConnections,
    ...labellingNamespaces,
    ...updatingStatuses,
    ...patchingStatuses,
    ...secretsOfTheTeam,
    ...tokens,
    ...theOperatorItself,
    ['get a Secret of the operator', 'GET', '/api/v1/namespaces/rolealerts-system/secrets/made'],
  ],
};

const operator: Person = {
  who: 'the operator',
  roles: [],
  may: [
    ...readingPolicies,
    ...readingConnections,
    ...readingClusterConnections,
    ...readingNamespaces,
    ...everywhere,
    ...updatingStatuses,
    ...patchingConnections,
    ...patchingClusterConnections,
    ...byName,
    ...holdingTheLease,
    ['create an event', 'POST', `/apis/events.k8s.io/v1/namespaces/${team}/events?${dry}`, event],
  ],
  mayNot: [
    ...writingPolicies,
    ...creatingConnections,
    ...creatingClusterConnections,
    ...labellingNamespaces,
    ...patchingStatuses,
    ...beyondTheOperator,
  ],
};

const named = (attempts: readonly Attempt[]) => attempts.map((attempt) => ({ what: attempt[0], attempt }));

describeWithOwnControlPlane('rights', (controlPlane) => {
  const api = openKubeRequests(controlPlane);

  beforeAll(async () => {
    for (const namespace of [team, otherTeam]) {
      const inNamespace = ['--namespace', namespace];
      await controlPlane.kubectl(['create', 'namespace', namespace]);
      await controlPlane.kubectl(['create', 'secret', 'generic', 'made', '--from-literal=token=t', ...inNamespace]);
      await controlPlane.kubectl(['create', 'configmap', 'made', ...inNamespace]);
      await controlPlane.kubectl(['create', 'serviceaccount', 'made', ...inNamespace]);
      for (const object of [policy, connection]) {
        const input = JSON.stringify({ ...object, metadata: { name: 'made', namespace } });
        await controlPlane.kubectl(['create', '-f', '-'], { input });
      }
    }
    await controlPlane.kubectl(['create', '-f', '-'], { input: JSON.stringify(clusterConnection) });
    const { who: platform } = platformAdmin;
    await controlPlane.kubectl([
      'create',
      'clusterrolebinding',
      platform,
      `--clusterrole=${platform}`,
      `--user=${platform}`,
    ]);
    for (const name of ['rolealerts', 'kept']) {
      const object = { ...lease, metadata: { name, namespace: 'rolealerts-system' } };
      await controlPlane.kubectl(['create', '-f', '-'], { input: JSON.stringify(object) });
    }
    for (const { who, roles } of users) {
      for (const role of roles) {
        const binding = ['rolebinding', `${who}-${role}`, `--clusterrole=${role}`, `--user=${who}`];
        await controlPlane.kubectl(['create', ...binding, '--namespace', team]);
      }
    }
    for (const { who, may } of users) {
      await eventually(`the role ${who} is aggregated`, async () => {
        const statuses = await Promise.all(may.map(async (attempt) => (await answerTo(attempt, { user: who })).status));
        return statuses.every((status) => status < 300) ? true : undefined;
      });
    }
  });
  afterAll(() => api.stop());

  const answerTo = async ([, method, path, body]: Attempt, asker: Asker) => {
    const answer = await api.send(method, path, await withCurrentVersion(method, path, body), asker);
    return { status: answer.status, reason: answer.body?.kind === 'Status' ? answer.body.reason : undefined };
  };

  /** An update carries the version that is there now. Read as the administrator, so that only the write is tried. */
  const withCurrentVersion = async (method: Method, path: string, body?: object) => {
    if (method !== 'PUT') return body;
    const current = await api.send('GET', path.replace('/status', '').replace(/\?.*/, ''));
    return { ...body, metadata: current.body?.metadata };
  };

  const describePerson = (person: Person, asker: () => Promise<Asker>) => {
    test.each(named(person.may))('may $what', async ({ attempt }) => {
      const { status, reason } = await answerTo(attempt, await asker());
      expect({ allowed: status < 300, reason }).toEqual({ allowed: true, reason: undefined });
    });

    test.each(named(person.mayNot))('may not $what', async ({ attempt }) => {
      expect(await answerTo(attempt, await asker())).toEqual({ status: 403, reason: 'Forbidden' });
    });
  };

  describe('the operator', () => {
    let token: string | undefined;
    describePerson(operator, async () => {
      token ??= (await controlPlane.serviceAccountToken('rolealerts-system', 'rolealerts')).reveal();
      return { token };
    });
  });

  describe('the platform admin', () => {
    describePerson(platformAdmin, () => Promise.resolve({ user: platformAdmin.who }));
  });

  describe.each(users)('a user with the role $who', (person) => {
    describePerson(person, () => Promise.resolve({ user: person.who }));
  });
});
