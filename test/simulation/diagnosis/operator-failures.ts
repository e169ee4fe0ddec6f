// Failures of the operator itself: it does not run, does not lead, or the API server refuses its requests.
import { namespace } from '../fixture.ts';
import type { DeniableCall } from '../kube/api-server.ts';
import { terminateNamespace } from '../kube/namespaces.ts';
import { kubeOrigin } from '../replica.ts';
import { alert, type Failure, type Stage } from './failure.ts';

const object = 'RoleAlertPolicy/owners';

const denied =
  (isDenied: (call: DeniableCall) => boolean) =>
  ({ world }: Stage): void => {
    world.api.isDenied = isDenied;
  };

const clue = { object, reason: 'Pending', cause: [/\bWaiting for the operator\b/], fix: /\boperator\b/ };
const pendingSeries = [/^rolealerts_policy_condition\{namespace="team",name="owners",.*reason="Pending"\} 1$/];
const unread = 'kubectl reads nothing either';
const gone = 'the objects of the namespace are gone, and their events and series with them';
const forbidden = /\bforbidden\b/;

export const operatorFailures: readonly Failure[] = [
  {
    title: 'the operator may not write the statuses of policies',
    before: denied(({ plural, isStatus, verb }) => plural === 'rolealertpolicies' && isStatus && verb === 'update'),
    clue,
    other: {
      events: { reason: 'StatusNotWritten', cause: [/\brefuses\b/, /\bpermission\b/], fix: /\brole\b/ },
      log: { reason: 'StatusNotWritten', cause: [/\brefuses\b/, /\bpermission\b/], fix: /\brole\b/ },
      metrics: [pendingSeries, [/^rest_client_requests_total\{method="update",code="403"\} [1-9]/]],
    },
  },
  {
    title: 'the operator may not list policies',
    before: denied(({ plural, verb }) => plural === 'rolealertpolicies' && verb === 'list'),
    clue,
    other: {
      log: [[/\blist or watch failed resource=rolealertpolicies\b/, forbidden]],
      metrics: [[/^rolealerts_watch_failures_total\{resource="rolealertpolicies",code="kube-denied"\} [1-9]/]],
    },
    silent: { events: 'the operator does not know the policies' },
  },
  {
    title: 'no replica can take the lease',
    values: { leaderElect: true },
    before: denied(({ plural }) => plural === 'leases'),
    clue,
    other: {
      log: [
        [
          /\bleader lease could not be read or written kind=Lease namespace=rolealerts-system name=rolealerts\b/,
          forbidden,
        ],
      ],
      metrics: [[/^leader_election_master_status\{name="rolealerts"\} 0$/]],
    },
    silent: { events: 'only the leader emits events' },
  },
  {
    title: 'the operator is read-only',
    values: { readOnly: true },
    alerts: { [alert]: false },
    clue: { object, reason: 'Observed', cause: [/--read-only\b/], fix: /\bwithout --read-only\b/ },
    other: { events: { reason: 'DriftDetected' } },
  },
  {
    title: 'no operator serves the shard of the connection',
    values: { connectionSelector: 'shard=a' },
    clue,
    silent: {
      events: 'a shard leaves the connections of other shards alone',
      log: 'a shard does not know which other shards run',
      metrics: 'a shard serves the metrics of its own connections and their policies',
    },
  },
  {
    title: 'the API server does not answer',
    after: ({ setFate }) => setFate(({ origin }) => (origin === kubeOrigin ? { kind: 'refuse' } : undefined)),
    clue,
    other: {
      log: [[/\blist or watch failed resource=rolealertpolicies\b/, /\bECONNREFUSED\b/]],
      metrics: [[/^rolealerts_watch_failures_total\{resource="rolealertpolicies",code="kube-unreachable"\} [1-9]/]],
    },
    silent: { get: unread, describe: unread, events: unread },
  },
  {
    title: 'the namespace of a dismissal is deleted',
    policy: {
      alerts: [{ name: alert, state: 'Inactive', dismissal: { reason: 'tracked in SEC-1182', incidents: ['6f1c'] } }],
    },
    after: ({ world }) => terminateNamespace(world.api, world.time, world.random, namespace),
    clue: {
      object: 'RoleAlertConnection/prod',
      reason: 'DeclarationGone',
      cause: [new RegExp(`\\b${alert}\\b`), /\bactive again\b/],
      fix: /\bDeclare the dismissal again\b/,
    },
    silent: { get: gone, describe: gone, events: gone, metrics: gone },
  },
  {
    title: 'the operator does not run',
    hasNoOperator: true,
    clue,
    silent: { events: 'nothing runs', log: 'nothing runs', metrics: 'nothing runs' },
  },
];
