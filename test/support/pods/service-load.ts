// Updates of alerts from one pod at the service in another, through its Service, until they have met an outage and gone on after it.
import type { PodCluster } from './pod-cluster.ts';
import { operatorNamespace } from './pods.ts';

/** A client of the service with a secret. */
export const loadClient = { id: 'load', secret: 'load-secret-of-the-test' };

export const loadedAlerts = ['TooManyOwnersAssignedToResource', 'TooManyPermanentOwnersAssignedToResource'];

/** Of one alert of one scope: updates that were answered with 204, and those without an answer, which may have been carried out. */
export interface Written {
  readonly scope: string;
  readonly alert: string;
  readonly acknowledged: number;
  readonly unanswered: number;
}

/** At most 5,000 updates of each alert; each update changes its flag. */
const script = (scopes: readonly string[]) => `
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
const url = 'https://alerts-service.rolealerts-alerts-service.svc:8443';
const form = { grant_type: 'client_credentials', client_id: '${loadClient.id}', client_secret: '${loadClient.secret}', scope: 'user_impersonation' };
const granted = await fetch(url + '/common/oauth2/token', { method: 'POST', body: new URLSearchParams(form) });
const { access_token } = await granted.json();
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const send = (scope, path, options) =>
  fetch(url + '/' + scope + '/providers/Vendor.Authorization/roleManagementAlerts' + path + '?api-version=2022-08-01-preview', {
    ...options, signal: AbortSignal.timeout(5000),
    headers: { authorization: 'Bearer ' + access_token, 'content-type': 'application/json' } }).catch(() => undefined);
const isActive = async (scope, alert) => {
  for (;;) {
    const response = await send(scope, '');
    if (response?.status === 200) return (await response.json()).value.find(({ name }) => name === alert).properties.isActive;
    await pause(200);
  }
};
const write = async (scope, alert) => {
  const written = { scope, alert, acknowledged: 0, unanswered: 0 };
  let active = await isActive(scope, alert);
  let more = 5000;
  while (more-- > 0) {
    const response = await send(scope, '/' + alert, { method: 'PATCH', body: JSON.stringify({ properties: { isActive: !active } }) });
    if (response?.status === 204) {
      written.acknowledged += 1;
      active = !active;
    } else if (response === undefined) {
      written.unanswered += 1;
      active = await isActive(scope, alert);
      more = 20;
    } else if (response.status === 429) await pause(100);
    else throw new Error('the status ' + response.status);
  }
  return written;
};
const scopes = ${JSON.stringify(scopes)};
const alerts = ${JSON.stringify(loadedAlerts)};
console.log(JSON.stringify(await Promise.all(scopes.flatMap((scope) => alerts.map((alert) => write(scope, alert))))));
`;

export async function loadService(cluster: PodCluster, scopes: readonly string[]): Promise<readonly Written[]> {
  const args = ['exec', '--namespace', operatorNamespace, 'deployment/rolealerts', '--', 'node'];
  const output = await cluster.kubectl([...args, '--input-type=module', '--eval', script(scopes)]);
  return JSON.parse(output) as readonly Written[];
}
