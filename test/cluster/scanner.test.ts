// The scanner over a real cluster: what kubectl creates is found and later dropped, with the rights of deploy/scanner only.
// pods/pages.test.ts has the alerts service of deploy/alerts-service, which scans its cluster.
import { afterAll, beforeAll, expect, test } from 'vitest';

import { systemClock } from '../../src/lib/clock.ts';
import type { AlertsService } from '../../src/service/alerts-service.ts';
import { createAlertsService } from '../../src/service/create-service.ts';
import type { Scanner } from '../../src/service/scanner.ts';
import { alertKinds } from '../../src/service/scanner/kinds.ts';
import { openAssignmentSource, type OpenedSource } from '../../src/service/scanner/open-source.ts';
import { decodeScannerConfiguration } from '../../src/service/scanner/scanner-file.ts';
import { scannerWith } from '../../src/service/scanner/scanner.ts';
import { noOwnersAllowed } from '../support/builders/assignments.ts';
import { serviceOptions } from '../support/servers/alerts-service.ts';
import { describeWithOwnControlPlane, eventually } from '../support/servers/control-plane.ts';

const [permanentOwners, owners, outside, duplicates] = alertKinds;
const root = new URL('../..', import.meta.url);
const madeByAccess = 'made-by=privileged-access';

interface FoundAlert {
  readonly isActive: boolean;
  readonly alertIncidents: readonly { readonly name: string; readonly properties: Record<string, string> }[];
}

describeWithOwnControlPlane('the scanner', (controlPlane) => {
  let namespace: string;
  let kubeconfig: string;
  let opened: OpenedSource;
  let service: AlertsService;
  let scanner: Scanner;

  const found = async (scope: string, kind: string) => {
    const { properties } = (await service.alerts.readAlert(scope, kind)) ?? {};
    if (properties === undefined) throw new Error(`no alert ${kind} at ${scope}`);
    return properties as FoundAlert;
  };
  const incidents = async (scope: string, kind: string) =>
    (await found(scope, kind)).alertIncidents.map((each) => each.properties);
  const scan = async () => expect(await scanner.scanNow()).toBeDefined();
  const inNamespace = (...args: string[]) => controlPlane.kubectl([...args, '--namespace', namespace]);
  const namespaceScope = () => `clusters/tried/namespaces/${namespace}`;

  beforeAll(async () => {
    namespace = await controlPlane.newNamespace();
    await controlPlane.kubectl(['apply', '--kustomize', new URL('deploy/scanner', root).pathname]);
    await inNamespace('create', 'serviceaccount', 'scanner');
    const toScanner = ['--clusterrole=rolealerts-scanner', `--serviceaccount=${namespace}:scanner`];
    await controlPlane.kubectl(['create', 'clusterrolebinding', `${namespace}-scanner`, ...toScanner]);
    kubeconfig = await controlPlane.serviceAccountKubeconfig(namespace, 'scanner');
    const { intervalMs, source } = decodeScannerConfiguration(
      { source: { cluster: { name: 'tried', kubeconfig, insideSelector: madeByAccess } } },
      '/scanner.yaml',
    );
    opened = openAssignmentSource(source, { environment: {}, clock: systemClock });
    await eventually('the binding applies', () =>
      opened.source.read(new AbortController().signal).catch(() => undefined),
    );
    const options = { intervalMs, thresholds: noOwnersAllowed, source: opened.source };
    service = await createAlertsService(serviceOptions({ scanner: scannerWith(options) }));
    if (!service.scanner) throw new Error('the service has no scanner');
    scanner = service.scanner;
  });

  afterAll(async () => {
    await scanner?.stop();
    await service?.close();
    await opened?.close();
  });

  test('finds a ClusterRoleBinding of cluster-admin, the same in every scan, and lets it go after its deletion', async () => {
    const user = `ada-${namespace}`;
    const ofAda = async (kind: string) =>
      (await incidents('clusters/tried', kind)).filter((each) => each['assigneeName'] === user);
    await controlPlane.kubectl(['create', 'clusterrolebinding', user, '--clusterrole=cluster-admin', `--user=${user}`]);
    await scan();
    for (const kind of [permanentOwners, owners]) {
      expect((await found('clusters/tried', kind)).isActive).toBe(true);
      expect(await ofAda(kind)).toEqual([
        { alertIncidentType: `${kind}AlertIncident`, assigneeName: user, assigneeType: 'User' },
      ]);
    }
    const idOf = async () =>
      (await found('clusters/tried', owners)).alertIncidents.find(
        ({ properties }) => properties['assigneeName'] === user,
      )?.name;
    const id = await idOf();
    await scan();
    expect(await idOf()).toBe(id);

    await controlPlane.kubectl(['delete', 'clusterrolebinding', user]);
    await scan();
    expect(await Promise.all([permanentOwners, owners].map(ofAda))).toEqual([[], []]);
  });

  test('finds bindings that the privileged access service did not make, of every kind of subject', async () => {
    const subjects = ['--user=dan', '--group=team', `--serviceaccount=${namespace}:scanner`];
    await inNamespace('create', 'rolebinding', 'by-hand', '--clusterrole=view', ...subjects);
    await inNamespace('create', 'rolebinding', 'by-access', '--clusterrole=view', '--user=eve');
    await inNamespace('label', 'rolebinding', 'by-access', madeByAccess);
    await scan();
    const ids = (await incidents(namespaceScope(), outside)).map((each) => each['assigneeId']);
    expect(new Set(ids)).toEqual(new Set(['dan', 'team', `system:serviceaccount:${namespace}:scanner`]));
    const view = await controlPlane.kubectlJson<{ metadata: { uid: string } }>(['get', 'clusterrole', 'view']);
    expect((await incidents(namespaceScope(), outside)).find((each) => each['assigneeId'] === 'dan')).toEqual({
      alertIncidentType: `${outside}AlertIncident`,
      assigneeDisplayName: 'dan',
      assigneeId: 'dan',
      assigneeUserPrincipalName: 'dan',
      assignmentActivatedDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      requestorDisplayName: 'kubectl-create',
      roleDefinitionId: '/apis/rbac.authorization.k8s.io/v1/clusterroles/view',
      roleDisplayName: 'view',
      roleTemplateId: view.metadata.uid,
    });
    await inNamespace('delete', 'rolebinding', 'by-hand', 'by-access');
  });

  test('finds nothing in what a cluster brings with it, but that system:masters owns it', async () => {
    await scan();
    const shipped = new Set(['cluster-admin', 'admin', 'edit', 'view']);
    const copies = (await incidents('clusters/tried', duplicates)).filter(({ roleName = '' }) => shipped.has(roleName));
    expect([...copies, ...(await incidents('clusters/tried/namespaces/kube-system', outside))]).toEqual([]);
    expect(await incidents('clusters/tried', permanentOwners)).toContainEqual({
      alertIncidentType: `${permanentOwners}AlertIncident`,
      assigneeName: 'system:masters',
      assigneeType: 'Group',
    });
  });

  test('may only list roles and bindings', async () => {
    const refused = [
      ['create', 'clusterrolebinding', 'evil', '--clusterrole=cluster-admin', '--user=eve'],
      ['delete', 'clusterrolebinding', 'cluster-admin'],
      ['label', 'clusterrole', 'view', 'evil=true'],
      ['get', 'clusterrolebinding', 'cluster-admin'],
      ['get', 'clusterrolebindings', '--watch-only', '--request-timeout=5s'],
      ['get', 'secrets', '--all-namespaces'],
    ];
    for (const args of refused) {
      const { exitCode, stderr } = await controlPlane.tryKubectl(args, { kubeconfigPath: kubeconfig });
      expect({ args, exitCode, stderr }).toEqual({ args, exitCode: 1, stderr: expect.stringMatching(/forbidden/i) });
    }
  });

  test('reports when the rights are withdrawn, and keeps its findings', async () => {
    await inNamespace('create', 'rolebinding', 'fay', '--clusterrole=admin', '--user=fay');
    await scan();
    const before = await found(namespaceScope(), owners);
    await controlPlane.kubectl(['delete', 'clusterrolebinding', `${namespace}-scanner`]);
    await expect
      .poll(() => opened.source.read(new AbortController().signal).catch((error: unknown) => error))
      .toMatchObject({ code: 'kube-denied' });
    expect(await scanner.scanNow()).toBeUndefined();
    expect(await found(namespaceScope(), owners)).toEqual(before);
  });
});
