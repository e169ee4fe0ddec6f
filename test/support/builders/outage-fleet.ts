// The fleet of a bad morning: 530 policies of five namespaces, and one token behind 500 of them that the service no longer accepts. Names, scopes and
// messages are as long as real ones.
import type { RoleAlertPolicy } from '../../../src/policy/resources.ts';
import { at, clusterConnection, connection, minuteMs, nowMs, policy, throughCluster } from './objects.ts';
import { alertRow, condition, firingRow } from './page-fleet.ts';

const hourMs = 60 * minuteMs;
const behindToken = 500;
const severities = ['Low', 'Medium', 'High'];

export const outageNamespaces = ['checkout', 'identity', 'ledger', 'payments', 'warehouse'];

const since = (hours: number, made: ReturnType<typeof condition>) => ({
  ...made,
  lastTransitionTime: at(-hours * hourMs),
});

/** Every policy has an alert with incidents, each a little older than that of the policy before. */
function outagePolicy(index: number): RoleAlertPolicy {
  const isBehind = index < behindToken;
  const id = `0b1f6471-1bf0-4dda-aec3-${String(index).padStart(12, '0')}`;
  const total = 1 + (index % 7);
  const severity = severities[index % 3] ?? 'High';
  const reason = isBehind ? 'ConnectionNotReady' : 'ScopeNotFound';
  const message = isBehind
    ? 'ClusterRoleAlertConnection prod is not ready (Unauthorized).'
    : `Scope subscriptions/${id}: unknown to the service (ResourceNotFound).`;
  const isReady = index >= 520;
  const made = policy({
    name: `subscription-${id}`,
    metadata: {
      namespace: outageNamespaces[index % outageNamespaces.length] ?? 'payments',
      annotations: { 'rolealerts.dev/display-name': `Subscription ${index} of production` },
    },
    spec: { scope: `subscriptions/${id}`, ...(isBehind && { connectionRef: throughCluster }) },
    status: {
      observedGeneration: 1,
      conditions: [
        isReady
          ? since(90, condition('Ready', 'True', 'Succeeded'))
          : since(isBehind ? 1 : 50, condition('Ready', 'False', reason, message)),
        ...(isBehind || isReady ? [] : [since(50, condition('Stalled', 'True', reason, message))]),
        since(
          index,
          condition(
            'IncidentsOpen',
            'True',
            'IncidentsFound',
            'Alert TooManyPermanentOwnersAssignedToResource: active, with incidents. Handle the incidents in the service; status.alerts has their number and ids.',
          ),
        ),
      ],
      summary: {
        declared: 6,
        inSync: 6,
        drifted: 0,
        missing: 0,
        dismissed: 0,
        incidents: total,
        ...(severity === 'High' && { highIncidents: total }),
        inSyncText: '6/6',
      },
      alerts: [
        firingRow('TooManyPermanentOwnersAssignedToResource', total, severity),
        alertRow('RolesAssignedOutside'),
      ],
    },
  });
  return made;
}

const refused = condition(
  'Ready',
  'False',
  'Unauthorized',
  'Secret rolealerts-system/prod-token, key token: the service at https://alerts.example.com/v1 refuses the credential. Renew the token; the operator notices a change within 30 seconds.',
);
const enough = condition('Capacity', 'True', 'Sufficient');

export const outageFleet = {
  policies: Array.from({ length: 530 }, (_, index) => outagePolicy(index)),
  connections: [
    {
      ...clusterConnection(),
      status: { observedGeneration: 1, conditions: [refused, enough], policies: behindToken, scopes: behindToken },
    },
    {
      ...connection(),
      status: {
        observedGeneration: 1,
        conditions: [condition('Ready', 'True', 'Connected'), enough],
        policies: 30,
        scopes: 30,
      },
    },
  ],
  nowMs,
};
