// Implements the scenario's observations and actions in the running demo.
import { LocalError } from '../../lib/command-errors.ts';
import { serviceDefaults } from '../../service/service-options.ts';
import type { DemoEnvironment } from './environment.ts';
import { demoIncidents, lateOwner, ownerBinding } from './manifests.ts';
import { deactivationBody } from './next-steps.ts';
import type { Sample } from './sample.ts';
import type { DemoActions } from './scenario.ts';

const deadlineMs = 10_000;

export function createActions({ watch, service, operator, cluster }: DemoEnvironment): DemoActions {
  return {
    seen: async ({ name, scope, alert, connection }) => ({
      policy: watch.policy(name),
      connection: watch.connection(connection),
      isActive: isActive(await service.alerts.readAlert(scope, alert)),
      events: watch
        .entries()
        .filter(({ object }) => object === name)
        .map(({ reason }) => reason),
    }),
    deactivate: (sample) => sendDeactivation(alertURL(service.url, sample), service.token),
    findIncidents: ({ scope, alert }, ids) => service.alerts.replaceIncidents(scope, alert, demoIncidents(alert, ids)),
    async addOwner() {
      await cluster.apply(ownerBinding(lateOwner));
    },
    check: () => operator.check(),
  };
}

/** The URL of a sample's alert (section 4.2). */
export function alertURL(serviceURL: string, { scope, alert }: Sample): string {
  const { providerNamespace, apiVersion } = serviceDefaults;
  return `${serviceURL}/${scope}/providers/${providerNamespace}/roleManagementAlerts/${alert}?api-version=${apiVersion}`;
}

function isActive(alert: Readonly<Record<string, unknown>> | undefined): boolean | undefined {
  return (alert?.['properties'] as { readonly isActive?: boolean } | undefined)?.isActive;
}

async function sendDeactivation(url: string, token: string): Promise<void> {
  const { status, body } = await fetch(url, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: deactivationBody,
    signal: AbortSignal.timeout(deadlineMs),
  });
  await body?.cancel();
  if (status !== 204) {
    throw new LocalError(`The alerts service responded with ${status} instead of 204`);
  }
}
