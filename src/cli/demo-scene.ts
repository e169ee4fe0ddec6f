// The running demo as the story sees it: what is there is read, and what others do to alerts is done.
import { request } from 'undici';

import { systemClock } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import { demoIncidents, lateOwner, ownerBinding } from '../local/demo/manifests.ts';
import { turnOffBody } from '../local/demo/next-steps.ts';
import type { Sample } from '../local/demo/samples.ts';
import type { Scene } from '../local/demo/story.ts';
import { deeds } from '../local/demo/timeline.ts';
import { serviceDefaults } from '../service/service-options.ts';
import type { Stage } from './demo-stage.ts';

const deadlineMs = 10_000;

export function createScene({ watch, service, operator, kubectl }: Stage): Scene {
  return {
    seen: ({ name, scope, alert }) => ({
      policy: watch.policy(name),
      isActive: isActive(service.alerts.readAlert(scope, alert)),
      events: watch
        .entries()
        .filter(({ policy }) => policy === name)
        .map(({ what }) => what),
    }),
    turnOff: (sample) => turnOff(alertURL(service.url, sample), service.token),
    findIncidents({ scope, alert, name }, ids) {
      service.alerts.replaceIncidents(scope, alert, demoIncidents(alert, ids));
      const note = `A scan found incidents of alert ${alert}: there are ${ids.length} now.`;
      watch.note({ atMs: systemClock.now(), policy: name, what: deeds.scanned, note });
    },
    async addOwner() {
      await kubectl(['apply', '--filename=-'], JSON.stringify(ownerBinding(lateOwner)));
    },
    check: () => operator.check(),
  };
}

/** The address of the alert that a sample is about (specification 4.2). */
export function alertURL(serviceURL: string, { scope, alert }: Sample): string {
  const { providerNamespace, apiVersion } = serviceDefaults;
  return `${serviceURL}/${scope}/providers/${providerNamespace}/roleManagementAlerts/${alert}?api-version=${apiVersion}`;
}

function isActive(alert: Readonly<Record<string, unknown>> | undefined): boolean | undefined {
  return (alert?.['properties'] as { readonly isActive?: boolean } | undefined)?.isActive;
}

async function turnOff(url: string, token: string): Promise<void> {
  const { statusCode, body } = await request(url, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: turnOffBody,
    signal: AbortSignal.timeout(deadlineMs),
  });
  await body.dump();
  if (statusCode !== 204) {
    throw new OperatorError('local', `The alerts service answered ${statusCode} where 204 was expected`);
  }
}
