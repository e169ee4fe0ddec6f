// The options of `rolealerts controller`.
import {
  addressOption,
  choiceOption,
  durationOption,
  listOption,
  nameOption,
  selectorOption,
  switchOption,
  textOption,
} from './option-types.ts';

export const logOptions = {
  logLevel: choiceOption({
    flag: 'log-level',
    choices: ['debug', 'info', 'warn', 'error'],
    fallback: 'info',
    sentence: 'The least important lines that are logged.',
  }),
  logFormat: choiceOption({
    flag: 'log-format',
    choices: ['json', 'text'],
    fallback: 'json',
    sentence: 'json for machines, text for people.',
  }),
};

export const controllerOptions = {
  kubeconfig: textOption({
    flag: 'kubeconfig',
    placeholder: 'FILE',
    sentence: "The cluster to work on. Otherwise $KUBECONFIG, the Pod's own service account, or ~/.kube/config.",
  }),
  watchNamespaces: listOption({
    flag: 'watch-namespaces',
    isItem: (text) => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text),
    expected: 'names of namespaces with commas between them',
    sentence: 'Only policies and connections of these namespaces. Default: all of them.',
  }),
  readOnly: switchOption({
    flag: 'read-only',
    sentence: 'Send no PATCH at all, not even to end a dismissal; drift is reported as in Observe mode.',
  }),
  interval: durationOption({
    flag: 'interval',
    fallback: 900_000,
    least: 5000,
    most: 86_400_000,
    sentence: 'How often to look at a scope whose policies do not say.',
  }),
  connectionSelector: selectorOption({
    flag: 'connection-selector',
    sentence: 'Only the connections with such labels, and the policies that name them: one shard of several.',
  }),
  leaderElect: switchOption({
    flag: 'leader-elect',
    sentence: 'Work only while this process holds the Lease, and follow warm while another one does.',
  }),
  leaderElectionId: nameOption({
    flag: 'leader-election-id',
    fallback: 'rolealerts',
    sentence: 'The name of the Lease. Every shard needs its own.',
  }),
  leaderElectionNamespace: textOption({
    flag: 'leader-election-namespace',
    placeholder: 'NAMESPACE',
    sentence: "Where the Lease is. Default: the Pod's own namespace; outside a Pod it has to be given.",
  }),
  allowHttp: switchOption({
    flag: 'allow-http',
    sentence: 'Accept services and token endpoints over plain http. The tokens then travel unencrypted.',
  }),
  allowPrivateEndpoints: switchOption({
    flag: 'allow-private-endpoints',
    sentence: 'Accept services at private, loopback and link-local addresses.',
  }),
  metricsBindAddress: addressOption({
    flag: 'metrics-bind-address',
    fallback: ':8080',
    sentence: 'Where /metrics is served; 0 for nowhere.',
  }),
  healthProbeBindAddress: addressOption({
    flag: 'health-probe-bind-address',
    fallback: ':9440',
    sentence: 'Where /livez and /readyz are served; 0 for nowhere.',
  }),
  ...logOptions,
};
