// `npm run conform:azure`: runs azure-mgmt-authorization, a published Python client of this contract, unmodified against the real program
// over TLS, and exits by what azure_client.py finds. It needs Python and PyPI, so it is not part of `npm test`.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createPythonEnvironment } from './python-environment.ts';
import { fileOf, startService } from './running-service.ts';

const packages = ['azure-mgmt-authorization==4.0.0', 'azure-core==1.41.0'];

/** The client has this namespace in its paths. */
const providerNamespace = 'Microsoft.Authorization';

const scope = 'subscriptions/one';

/** The client knows these discriminators; the contract shows those of the first two kinds only. */
const kinds = [
  'TooManyPermanentOwnersAssignedToResource',
  'TooManyOwnersAssignedToResource',
  'AzureRolesAssignedOutsidePim',
  'DuplicateRoleCreated',
];

const alertOf = (kind: string) => ({
  name: kind,
  properties: {
    isActive: true,
    incidentCount: 1,
    lastScannedDateTime: '2022-01-16T10:00:00.123Z',
    alertConfiguration: { properties: { alertConfigurationType: `${kind}AlertConfiguration`, isEnabled: true, scope } },
    alertDefinition: { properties: { displayName: `The kind ${kind}`, severityLevel: 'High' } },
    alertIncidents: [{ name: '1', properties: { alertIncidentType: `${kind}AlertIncident` } }],
  },
});

/** The first list is refused twice, as a busy service does. */
const faults = {
  rules: [
    { match: { routes: ['list-alerts'] }, limits: { times: 1 }, fault: { status: 429, retryAfter: 1 } },
    { match: { routes: ['list-alerts'] }, limits: { times: 1 }, fault: { status: 503, retryAfter: 1 } },
  ],
};

const folder = await mkdtemp(join(tmpdir(), 'rolealerts-azure-'));
try {
  const programs = await createPythonEnvironment(join(folder, 'python'), packages);
  const inFolder = async (name: string, value: object) => {
    const file = join(folder, name);
    await writeFile(file, JSON.stringify(value));
    return file;
  };
  const secret = randomBytes(16).toString('hex');
  const authority = join(folder, 'ca.pem');
  const service = await startService([
    '--tls-self-signed',
    `--tls-ca-out=${authority}`,
    `--provider-namespace=${providerNamespace}`,
    `--seed=${await inFolder('seed.json', { scopes: { [scope]: { value: kinds.map(alertOf) } } })}`,
    `--faults=${await inFolder('faults.json', faults)}`,
    `--client=azure:${secret}`,
    '--page-size=3',
  ]);
  try {
    const environment = { ...process.env, SERVICE_URL: service.url, SERVICE_CA: authority, CLIENT_SECRET: secret };
    const child = spawn(join(programs, 'python'), [fileOf('test/tools/conformance/azure_client.py')], {
      env: environment,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    process.exitCode = code ?? 1;
  } finally {
    await service.stop();
  }
} finally {
  await rm(folder, { recursive: true });
}
