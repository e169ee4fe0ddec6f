// The time from the API server's response to a user's edit until the resulting PATCH is on the wire.
import { setTimeout as delay } from 'node:timers/promises';

import { request } from 'undici';

import { median } from './compare.ts';
import { serviceToken, type FleetPlace } from './fleet-place.ts';
import { waitFor } from './programs.ts';
import type { Setup } from './setup.ts';

/** The verification, the status and the event of an edit end within some 10 ms of its PATCH. */
const restMs = 50;

/** Edits so many policies of a fleet that is in sync, one after the other. The median in milliseconds. */
export async function measureEdits(setup: Setup, place: FleetPlace, count: number): Promise<number> {
  const timesMs: number[] = [];
  for (const policy of place.policies.slice(0, count)) {
    await turnOff(place.service.url, policy.scope, policy.alerts[0] ?? '');
    let sentMs: number | undefined;
    place.tap.onSent = (chunk) => {
      if (chunk.subarray(0, 6).toString() === 'PATCH ') sentMs ??= performance.now();
    };
    await editInterval(setup, place.namespace, policy.name, '70m');
    const answeredMs = performance.now();
    const limits = { withinMs: 10_000, everyMs: 1 };
    timesMs.push((await waitFor('the PATCH after the edit', limits, () => sentMs)) - answeredMs);
    await delay(restMs);
  }
  return median(timesMs);
}

/** An edit that makes the operator reconcile the scope. The interval must differ from the policy's. */
async function editInterval({ requests }: Setup, namespace: string, policy: string, interval: string): Promise<void> {
  const path = `/apis/rolealerts.dev/v1alpha1/namespaces/${namespace}/rolealertpolicies/${policy}`;
  const { status } = await requests.send('PATCH', path, { spec: { interval } });
  if (status !== 200) throw new Error(`the edit was answered ${status}`);
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
