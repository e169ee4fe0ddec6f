// The commands that plan without the operator, in this process: manifests in a folder, and the alerts service behind a proxy that
// counts the requests.
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import { runProgram } from '../../../src/commands/program.ts';
import { type RunningAlertsService, startAlertsService } from '../../../src/service/server.ts';
import { serviceOptions, staticToken } from '../servers/alerts-service.ts';
import { type ServiceProxy, startServiceProxy } from '../servers/service-proxy.ts';
import { recordingHost } from './recording-host.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface PreviewRig {
  readonly folder: string;
  readonly proxy: ServiceProxy;
  readonly service: RunningAlertsService;
  /** Writes `FOLDER/policies/NAME`. */
  write(name: string, text: string): Promise<void>;
  /** With the folder in place of `policies/` and `token.txt`, and with private addresses allowed. */
  run(words: string, environment?: Readonly<Record<string, string>>): Promise<Ran>;
  /** The live flag as the service has it. */
  flag(scope: string, alert: string): Promise<boolean | undefined>;
}

export interface SeededAlert {
  readonly name: string;
  readonly isActive: boolean;
}

/** `token.txt` holds the token of the service. Everything stops when the test ends. */
export async function startPreviewRig(seed: Readonly<Record<string, readonly SeededAlert[]>>): Promise<PreviewRig> {
  const folder = await mkdtemp(join(tmpdir(), 'rolealerts-plan-'));
  await mkdir(join(folder, 'policies'));
  await writeFile(join(folder, 'token.txt'), `${staticToken}\n`);
  const scopes = Object.entries(seed).map(([scope, alerts]) => {
    const value = alerts.map(({ name, isActive }) => ({ name, properties: { isActive } }));
    return [scope, { value }] as const;
  });
  const service = await startAlertsService(serviceOptions({ seed: { scopes: Object.fromEntries(scopes) } }));
  const proxy = await startServiceProxy(() => service.url);
  onTestFinished(async () => {
    await proxy.stop();
    await service.stop();
    await rm(folder, { recursive: true });
  });
  return {
    folder,
    proxy,
    service,
    write: (name, text) => writeFile(join(folder, 'policies', name), text),
    run: (words, environment = {}) => runIn(folder, words, environment),
    async flag(scope, alert) {
      const found = (await service.alerts.readAlert(scope, alert)) as { properties: { isActive: boolean } } | undefined;
      return found?.properties.isActive;
    },
  };
}

async function runIn(folder: string, words: string, environment: Readonly<Record<string, string>>): Promise<Ran> {
  const env = {
    XDG_CONFIG_HOME: folder,
    ROLEALERTS_ALLOW_HTTP: 'true',
    ROLEALERTS_ALLOW_PRIVATE_ENDPOINTS: 'true',
    ...environment,
  };
  const { host, written } = recordingHost(env);
  const args = words.split(' ').map((word) => word.replace(/^(?:policies\/|token\.txt)/, (path) => join(folder, path)));
  return { code: await runProgram(args, { ...host, workingDirectory: folder }), ...written };
}

export const connectionYaml = (baseURL: string, spec = '') => `apiVersion: rolealerts.dev/v1alpha1
kind: RoleAlertConnection
metadata: {name: prod}
spec:
  endpoint: {baseURL: "${baseURL}"}
  auth: {tokenSecretRef: {name: credentials, key: token}}
  deactivation: Allow
${spec}`;

export const secretYaml = `apiVersion: v1
kind: Secret
metadata: {name: credentials, labels: {rolealerts.dev/credential: "true"}}
stringData: {token: ${staticToken}}
`;

export const policyYaml = (name: string, scope: string, alerts: string) => `apiVersion: rolealerts.dev/v1alpha1
kind: RoleAlertPolicy
metadata: {name: ${name}}
spec:
  connectionRef: {name: prod}
  scope: ${scope}
  alerts: [${alerts}]
`;

export const declaredActive = (name: string) => `{name: ${name}, state: Active}`;
export const dismissed = (name: string) =>
  `{name: ${name}, state: Inactive, dismissal: {reason: tracked in SEC-1, incidents: [x]}}`;
