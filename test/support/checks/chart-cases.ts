// Values of the chart: what users set, and the mistakes that its schema refuses.

/** An object of a rendering: `KIND NAMESPACE/NAME`. */
export type ObjectKey = string;

export interface ChartCase {
  readonly values: object;
  /** Beside those of the default values. */
  readonly added?: readonly ObjectKey[];
  /** Of those of the default values. */
  readonly removed?: readonly ObjectKey[];
}

const system = 'rolealerts-system';
const crds = ['rolealertpolicies', 'rolealertconnections', 'clusterrolealertconnections'];
const userRoles = ['view', 'edit', 'admin', 'platform-admin'];
const shardObjects = (name: string) => [
  `Deployment ${system}/rolealerts-shard-${name}`,
  `PodDisruptionBudget ${system}/rolealerts-shard-${name}`,
  `Service ${system}/rolealerts-shard-${name}-metrics`,
];
const monitoring = [
  `ServiceMonitor ${system}/rolealerts`,
  `PrometheusRule ${system}/rolealerts`,
  `ConfigMap ${system}/rolealerts-dashboard`,
];
const clusterBinding = 'ClusterRoleBinding /rolealerts-operator';
const inNamespaces = (namespaces: readonly string[]) => [
  ...namespaces.map((namespace) => `RoleBinding ${namespace}/rolealerts-operator`),
  'ClusterRole /rolealerts-operator-cluster',
  'ClusterRoleBinding /rolealerts-operator-cluster',
];
const namespaced = { added: inNamespaces(['team-a', 'team-b', system]), removed: [clusterBinding] };

export const acceptedValues: Readonly<Record<string, ChartCase>> = {
  'the default values': { values: {} },
  'some namespaces': { values: { watchNamespaces: ['team-a', 'team-b'] }, ...namespaced },
  'some namespaces without cluster connections': {
    values: { watchNamespaces: ['team-a'], clusterConnections: false },
    added: inNamespaces(['team-a']),
    removed: [clusterBinding],
  },
  'some namespaces with an existing cluster role': {
    values: { watchNamespaces: ['team-a', 'team-b'], rbac: { clusterRoleName: 'existing' } },
    added: namespaced.added,
    removed: [clusterBinding, 'ClusterRole /rolealerts-operator'],
  },
  shards: { values: { shards: ['a', 'eu-west'] }, added: [...shardObjects('a'), ...shardObjects('eu-west')] },
  'shards of some namespaces': {
    values: { shards: ['a'], watchNamespaces: ['team-a', 'team-b'] },
    added: [...namespaced.added, ...shardObjects('a')],
    removed: namespaced.removed,
  },
  monitoring: {
    values: {
      serviceMonitor: { enabled: true, labels: { release: 'monitoring' } },
      prometheusRule: {
        enabled: true,
        labels: { release: 'monitoring' },
        runbookURL: 'https://wiki.example.net/rolealerts?view=runbook',
      },
      grafanaDashboard: { enabled: true },
    },
    added: monitoring,
  },
  'other ports and scrapers': {
    values: {
      metrics: { port: 9090 },
      probes: { port: 9091 },
      networkPolicy: {
        scraperNamespaceSelector: {
          matchLabels: { team: 'platform' },
          matchExpressions: [{ key: 'prometheus', operator: 'Exists' }],
        },
      },
    },
  },
  'nothing that is optional': {
    values: {
      crds: { enabled: false },
      userRoles: { create: false },
      podDisruptionBudget: { enabled: false },
      networkPolicy: { enabled: false },
      nodeSelector: { 'kubernetes.io/os': null },
      resources: { requests: null, limits: null },
      topologySpreadConstraints: [],
    },
    removed: [
      ...crds.map((plural) => `CustomResourceDefinition /${plural}.rolealerts.dev`),
      ...userRoles.map((role) => `ClusterRole /rolealerts-${role}`),
      `PodDisruptionBudget ${system}/rolealerts`,
      `NetworkPolicy ${system}/rolealerts`,
    ],
  },
  'roles of users that are bound': { values: { userRoles: { aggregate: false } } },
  'what the cluster already has': {
    values: {
      serviceAccount: { create: false, name: 'existing' },
      rbac: { clusterRoleName: 'existing' },
      priorityClassName: 'system-cluster-critical',
    },
    removed: [`ServiceAccount ${system}/rolealerts`, 'ClusterRole /rolealerts-operator'],
  },
  'no permissions': {
    values: { rbac: { create: false } },
    removed: [
      'ClusterRole /rolealerts-operator',
      clusterBinding,
      `Role ${system}/rolealerts-leader-election`,
      `RoleBinding ${system}/rolealerts-leader-election`,
    ],
  },
  quotas: {
    values: {
      quotas: [
        { namespace: 'team-a', policies: 100, connections: 5 },
        { namespace: 'team-b', policies: 0, connections: 0 },
      ],
    },
    added: ['ResourceQuota team-a/rolealerts', 'ResourceQuota team-b/rolealerts'],
  },
  'every value of the Pods': {
    values: {
      image: {
        repository: 'registry.example.net:5000/platform/rolealerts',
        tag: '0.1.0-fips',
        digest: `sha256:${'0123456789abcdef'.repeat(4)}`,
        pullPolicy: 'Always',
      },
      imagePullSecrets: [{ name: 'registry' }],
      replicaCount: 3,
      serviceAccount: { name: 'operator', annotations: { 'example.net/role': 'rolealerts' } },
      extraArgs: ['--allowed-hosts=alerts.example.net', '--log-level=debug', '--log-format=text'],
      extraEnv: [
        { name: 'NO_PROXY', value: '.svc,10.0.0.0/8' },
        { name: 'HTTPS_PROXY', valueFrom: { secretKeyRef: { name: 'proxy', key: 'url' } } },
      ],
      podLabels: { team: 'platform' },
      podAnnotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true' },
      resources: { requests: { cpu: '100m' }, limits: { memory: '1Gi' } },
      nodeSelector: { 'node-role.kubernetes.io/infra': '' },
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 100,
              podAffinityTerm: {
                topologyKey: 'kubernetes.io/hostname',
                labelSelector: { matchLabels: { team: 'platform' } },
              },
            },
          ],
        },
      },
      tolerations: [{ key: 'node-role.kubernetes.io/infra', operator: 'Exists', effect: 'NoSchedule' }],
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule', minDomains: 2 },
        { maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' },
      ],
    },
    added: [`ServiceAccount ${system}/operator`],
    removed: [`ServiceAccount ${system}/rolealerts`],
  },
};

/** Each with what it is about: the path of the value, as JSON pointers have it. */
export const refusedValues: Readonly<Record<string, { readonly values: object; readonly at: string }>> = {
  'an unknown value': { values: { replicas: 2 }, at: '' },
  'a typing error': { values: { watchNamespace: ['team-a'] }, at: '' },
  'a text in place of a list': { values: { watchNamespaces: 'team-a,team-b' }, at: '/watchNamespaces' },
  'a namespace twice': { values: { watchNamespaces: ['team-a', 'team-a'] }, at: '/watchNamespaces' },
  'a shard with a name that is no label': { values: { shards: ['EU'] }, at: '/shards/0' },
  'a shard with a long name': { values: { shards: ['a23456789-b23456789'] }, at: '/shards/0' },
  'a quota without connections': { values: { quotas: [{ namespace: 'team-a', policies: 1 }] }, at: '/quotas/0' },
  'a text in place of a number': { values: { replicaCount: '2' }, at: '/replicaCount' },
  'a tag in place of a digest': { values: { image: { digest: '0.1.0' } }, at: '/image/digest' },
  'an existing service account without its name': {
    values: { serviceAccount: { create: false } },
    at: '/serviceAccount/name',
  },
  'an argument of the chart': { values: { extraArgs: ['--leader-election-id=a'] }, at: '/extraArgs/0' },
  'a label of the chart': {
    values: { podLabels: { 'app.kubernetes.io/name': 'a' } },
    at: '/podLabels/app.kubernetes.io~1name',
  },
  'a section of a runbook': {
    values: { prometheusRule: { runbookURL: 'https://wiki.example.net/runbook#alerts' } },
    at: '/prometheusRule/runbookURL',
  },
  'a privileged port': { values: { metrics: { port: 80 } }, at: '/metrics/port' },
  'a spread with a selector of its own': {
    values: {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: {} },
      ],
    },
    at: '/topologySpreadConstraints/0',
  },
  'a long prefix': { values: { fullnameOverride: 'a234567890123456789012345678901' }, at: '/fullnameOverride' },
};
