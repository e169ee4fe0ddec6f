// The time from the API server's response to a user's edit until the resulting PATCH is on the wire.
import { request } from 'undici';

import type { fleetPolicies } from '../support/builders/fleet.ts';
import type { SocketTap } from '../support/servers/socket-tap.ts';
import { serviceToken, type RunningService, type Setup } from './setup.ts';
import { waitFor } from './wait.ts';

export interface EditTimes {
  readonly medianMs: number;
  /** The 95th percentile. */
  readonly slowMs: number;
}

const edits = 60;

export async function measureEdits(
  { requests }: Setup,
  place: {
    readonly namespace: string;
    readonly policies: ReturnType<typeof fleetPolicies>;
    readonly service: RunningService;
    readonly tap: SocketTap;
  },
): Promise<EditTimes> {
  const timesMs: number[] = [];
  for (const policy of place.policies.slice(0, edits)) {
    await turnOff(place.service.url, policy.scope, policy.alerts[0] ?? '');
    let sentMs: number | undefined;
    place.tap.onSent = (chunk) => {
      if (chunk.subarray(0, 6).toString() === 'PATCH ') sentMs ??= performance.now();
    };
    const path = `/apis/rolealerts.dev/v1alpha1/namespaces/${place.namespace}/rolealertpolicies/${policy.name}`;
    const { status } = await requests.send('PATCH', path, { spec: { interval: '20m' } });
    const answeredMs = performance.now();
    if (status !== 200) throw new Error(`the edit was answered ${status}`);
    timesMs.push(
      (await waitFor('the PATCH after the edit', { withinMs: 10_000, everyMs: 1 }, () => sentMs)) - answeredMs,
    );
  }
  const sorted = timesMs.toSorted((a, b) => a - b);
  return { medianMs: sorted[Math.floor(edits / 2)] ?? NaN, slowMs: sorted[Math.floor(edits * 0.95)] ?? NaN };
}

/** As another client does, bypassing the operator. */
async function turnOff(serviceURL: string, scope: string, alert: string): Promise<void> {
  const path = `/${scope}/providers/Vendor.Authorization/roleManagementAlerts/${alert}`;
  const answer = await request(`${serviceURL}${path}?api-version=2022-08-01-preview`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${serviceToken}`, 'content-type': 'application/json' },
    body: '{"properties":{"isActive":false}}',
  });
  await answer.body.dump();
  if (answer.statusCode !== 204) throw new Error(`the service answered ${answer.statusCode}`);
}
