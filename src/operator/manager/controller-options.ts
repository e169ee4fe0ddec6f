// The options of `rolealerts controller`.
import { addressOption } from '../../lib/options/address.ts';
import { durationOption, numberOption } from '../../lib/options/quantity.ts';
import {
  choiceOption,
  hostListOption,
  listOption,
  nameOption,
  selectorOption,
  switchOption,
  textOption,
} from '../../lib/options/text.ts';

export const logOptions = {
  logLevel: choiceOption({
    flag: 'log-level',
    choices: ['debug', 'info', 'warn', 'error'],
    fallback: 'info',
    description: 'The minimum log level.',
  }),
  logFormat: choiceOption({
    flag: 'log-format',
    choices: ['json', 'text'],
    fallback: 'json',
    description: 'The log format.',
  }),
};

export const controllerOptions = {
  kubeconfig: textOption({
    flag: 'kubeconfig',
    placeholder: 'FILE',
    description: "The kubeconfig of the cluster. Default: $KUBECONFIG, the Pod's service account, or ~/.kube/config.",
  }),
  watchNamespaces: listOption({
    flag: 'watch-namespaces',
    isItem: (text) => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text),
    expected: 'namespace names separated by commas',
    description: 'The namespaces to watch, separated by commas. Default: all.',
  }),
  clusterResourceNamespace: textOption({
    flag: 'cluster-resource-namespace',
    placeholder: 'NAMESPACE',
    description:
      "The namespace of the Secrets, ConfigMaps and ServiceAccounts of every ClusterRoleAlertConnection. Default: the Pod's namespace; rolealerts-system outside a Pod.",
  }),
  readOnly: switchOption({
    flag: 'read-only',
    description: 'Send no PATCH at all, not even to end a dismissal; drift is reported as in Observe mode.',
  }),
  interval: durationOption({
    flag: 'interval',
    fallback: 900_000,
    least: 5000,
    most: 86_400_000,
    description: 'The resync interval of policies without spec.interval.',
  }),
  connectionSelector: selectorOption({
    flag: 'connection-selector',
    description:
      'A label selector of connections of both kinds: serve only these, and the policies that refer to them (a shard).',
  }),
  leaderElect: switchOption({
    flag: 'leader-elect',
    fallback: true,
    description:
      'Reconcile only while this process holds the Lease; otherwise stand by with warm caches. Switch it off only for a single process.',
  }),
  leaderElectionId: nameOption({
    flag: 'leader-election-id',
    fallback: 'rolealerts',
    description: 'The name of the Lease. Each shard needs its own.',
  }),
  leaderElectionNamespace: textOption({
    flag: 'leader-election-namespace',
    placeholder: 'NAMESPACE',
    description: "The namespace of the Lease. Default: the Pod's namespace; required outside a Pod.",
  }),
  allowHttp: switchOption({
    flag: 'allow-http',
    description: 'Allow services and token endpoints over plain HTTP. Tokens are then sent unencrypted.',
  }),
  allowPrivateEndpoints: switchOption({
    flag: 'allow-private-endpoints',
    description: 'Allow services and token endpoints at private, loopback and link-local addresses.',
  }),
  apiAudiences: listOption({
    flag: 'api-audiences',
    isItem: (text) => text.length <= 256 && /^[!-+\--~]+$/.test(text),
    expected: 'audiences of up to 256 visible ASCII characters, separated by commas',
    description:
      "The --api-audiences of the API server: connections may not request tokens for them. Its issuer and the audiences of the operator's own token always count.",
  }),
  allowedHosts: hostListOption({
    flag: 'allowed-hosts',
    description:
      'The hosts of services and token endpoints: names, or *.SUFFIX for every name below it, separated by commas. Default: all.',
  }),
  record: textOption({
    flag: 'record',
    placeholder: 'DIR',
    description:
      'Record every plan in files of this directory, for `rolealerts replay`: its input without texts of people, and what it decided. Default: nothing is recorded.',
  }),
  recordFileSize: numberOption({
    flag: 'record-file-size',
    fallback: 16,
    least: 1,
    most: 256,
    defaultText: '16',
    description: 'The maximum size of one file of --record, in MiB.',
  }),
  recordFiles: numberOption({
    flag: 'record-files',
    fallback: 8,
    least: 2,
    most: 10_000,
    defaultText: '8',
    description: 'How many files of --record are kept; the oldest are deleted.',
  }),
  metricsBindAddress: addressOption({
    flag: 'metrics-bind-address',
    fallback: ':8080',
    description: 'The address that serves /metrics; 0 disables it.',
  }),
  healthProbeBindAddress: addressOption({
    flag: 'health-probe-bind-address',
    fallback: ':9440',
    description: 'The address that serves /livez and /readyz; 0 disables them.',
  }),
  ...logOptions,
};
