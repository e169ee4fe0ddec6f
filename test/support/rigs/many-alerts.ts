// A seed of 2,000 inactive alerts in one scope, updates that activate them, and the alerts that are active: for tests that kill
// processes amid updates.
import type { Pool } from 'undici';

import { apiVersion, listOf, listPath, sendOverSocket, staticToken } from '../servers/alerts-service.ts';

export const names = Array.from({ length: 2000 }, (_, index) => `Alert${index}`);
/** Alerts that no update activates. */
export const untouched = ['Untouched0', 'Untouched1'];
export const seed = { scopes: { s: { value: [...names, ...untouched].map((name) => ({ name })) } } };

/** Sends the update that activates the alert, and returns the status of the response. */
export async function activateAlert(pool: Pool, name: string): Promise<number> {
  const { statusCode, body } = await pool.request({
    method: 'PATCH',
    path: `/s${listPath}/${name}?${apiVersion}`,
    headers: { authorization: `Bearer ${staticToken}`, 'content-type': 'application/json' },
    body: '{"properties":{"isActive":true}}',
  });
  await body.dump();
  return statusCode;
}

export async function activeAlerts(url: string): Promise<ReadonlySet<string>> {
  const active = new Set<string>();
  for (let link: string | undefined = `${url}/s${listPath}?${apiVersion}`; link !== undefined;) {
    // A nextLink names the public URL.
    const { pathname, search }: URL = new URL(link);
    const page: ReturnType<typeof listOf> = listOf(await sendOverSocket(url, { target: `${pathname}${search}` }));
    for (const { name, properties } of page.value) if (properties['isActive'] === true) active.add(name);
    link = page.nextLink;
  }
  return active;
}
