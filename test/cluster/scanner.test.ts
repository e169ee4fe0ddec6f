// The scanner over a real cluster: what kubectl creates is found and later dropped, with the rights of deploy/scanner only. Then the alerts
// service of deploy/alerts-service with its own arguments and files, as the bundle that is in the image: only paths and addresses are those
// of this machine; and the operator, which learns of it from the overlay's own connection and policy.
import { execFile, spawn } from 'node:child_process';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';

import { systemClock } from '../../src/lib/clock.ts';
import { isObject, parseJson } from '../../src/lib/json-shape.ts';
import type { AlertsService } from '../../src/service/alerts-service.ts';
import { createAlertsService } from '../../src/service/create-service.ts';
import { backUpDataFile } from '../../src/service/database/backup.ts';
import type { Scanner } from '../../src/service/scanner.ts';
import { alertKinds } from '../../src/service/scanner/kinds.ts';
import { openAssignmentSource, type OpenedSource } from '../../src/service/scanner/open-source.ts';
import { decodeScannerConfiguration } from '../../src/service/scanner/scanner-file.ts';
import { scannerWith } from '../../src/service/scanner/scanner.ts';
import { noOwnersAllowed } from '../support/builders/assignments.ts';
import { readPage } from '../support/rigs/page-blocks.ts';
import { programFile } from '../support/rigs/program.ts';
import { serviceOptions } from '../support/servers/alerts-service.ts';
import { describeWithOwnControlPlane, eventually } from '../support/servers/control-plane.ts';

const [permanentOwners, owners, outside, duplicates] = alertKinds;
const root = new URL('../..', import.meta.url);
const madeByAccess = 'made-by=privileged-access';

interface FoundAlert {
  readonly isActive: boolean;
  readonly alertIncidents: readonly { readonly name: string; readonly properties: Record<string, string> }[];
}

interface Container {
  readonly command?: string[];
  readonly args: string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Record<string, string>;
  readonly stringData?: Record<string, string>;
  readonly spec?: {
    readonly template?: {
      readonly spec: { readonly containers: readonly [Container] };
    };
  };
}

interface Conditions {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  };
}

const folder = new URL('../../deploy/alerts-service', import.meta.url).pathname;
const system = 'rolealerts-alerts-service';
/** As in deploy/Dockerfile. */
const operatorFlags = ['--max-semi-space-size=4', '--single-threaded-gc', '--efficiency-mode'];

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

  test('raises the alert of a namespace for a RoleBinding of admin and clears it after its deletion', async () => {
    await inNamespace('create', 'rolebinding', 'bob', '--clusterrole=admin', '--user=bob');
    await scan();
    expect(await found(namespaceScope(), owners)).toMatchObject({ isActive: true, alertIncidents: [{}] });
    expect((await incidents('clusters/tried', owners)).filter((each) => each['assigneeName'] === 'bob')).toEqual([]);

    await inNamespace('delete', 'rolebinding', 'bob');
    await scan();
    for (const kind of [permanentOwners, owners, outside]) {
      expect(await found(namespaceScope(), kind)).toMatchObject({ isActive: false, alertIncidents: [] });
    }
  });

  test('takes an annotated binding for one with an end', async () => {
    await inNamespace('create', 'rolebinding', 'cyd', '--clusterrole=admin', '--user=cyd');
    await inNamespace('annotate', 'rolebinding', 'cyd', 'rolealerts.dev/assignment-ends-at=2999-01-01T00:00:00Z');
    await scan();
    const counts = [permanentOwners, owners].map(async (kind) => (await found(namespaceScope(), kind)).alertIncidents);
    expect((await Promise.all(counts)).map((each) => each.length)).toEqual([0, 1]);
    await inNamespace('delete', 'rolebinding', 'cyd');
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

  test('finds a Role that says what another one says', async () => {
    await inNamespace('create', 'role', 'first', '--verb=get,list', '--resource=pods,services');
    await inNamespace('create', 'role', 'second', '--verb=list,get', '--resource=services,pods');
    await inNamespace('create', 'role', 'third', '--verb=get', '--resource=services,pods');
    await scan();
    expect(await incidents(namespaceScope(), duplicates)).toEqual([
      {
        alertIncidentType: `${duplicates}AlertIncident`,
        duplicateRoles: 'first, second',
        reason: 'It has the same permissions as first.',
        roleName: 'second',
      },
    ]);
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

  describe('of deploy/alerts-service', () => {
    let manifests: readonly Manifest[];
    const one = (kind: string, name: string): Manifest => {
      const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
      if (!found) throw new Error(`there is no ${kind} ${name}`);
      return found;
    };
    const apply = (object: object) =>
      controlPlane.kubectl(['apply', '--server-side', '-f', '-'], { input: JSON.stringify(object) });

    beforeAll(async () => {
      const text = await controlPlane.kubectl(['kustomize', folder]);
      manifests = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
      await apply(one('Namespace', system));
      for (const kind of ['ServiceAccount', 'Secret']) {
        for (const each of manifests.filter(
          (manifest) => manifest.kind === kind && /alerts-service/.test(manifest.metadata.name),
        )) {
          await apply(each);
        }
      }
      await apply(one('ClusterRole', 'rolealerts-scanner'));
      await apply(one('ClusterRoleBinding', 'rolealerts-scanner'));
    });

    function specOfPod() {
      const pod = one('Deployment', 'alerts-service').spec?.template?.spec;
      if (!pod) throw new Error('the Deployment has no pod');
      return pod;
    }

    /** Runs a step of the pages in the pod: the redirection of `kubectl exec … -- STEP > FILE`, without anything but the program. */
    async function execAsInPages(file: string, env: Readonly<Record<string, string>>): Promise<string> {
      const pages = ['deploy/alerts-service/README.md', 'deploy/tasks/backup.md'].map(readPage).join('\n');
      const steps = [...pages.matchAll(/^kubectl .* exec deployment\/alerts-service -- +(.*) > (.*)$/gm)];
      const [, step = ''] = steps.find(([, , target]) => target === file) ?? [];
      const prefix = 'node /opt/rolealerts/rolealerts.mjs ';
      expect(step.startsWith(prefix)).toBe(true);
      const words = [programFile, ...step.slice(prefix.length).split(' ')];
      const { stdout } = await promisify(execFile)(process.execPath, words, { env, encoding: 'buffer' });
      const path = join(controlPlane.scratchDirectory, file);
      await writeFile(path, stdout);
      return path;
    }

    /** As the pod has it: the same arguments, with this machine's paths and free ports. */
    async function podArguments() {
      const root = join(controlPlane.scratchDirectory, 'pod');
      const volume = join(root, 'var');
      const files = {
        configuration: one('ConfigMap', 'alerts-service').data,
        users: one('Secret', 'alerts-service-users').stringData,
        operator: one('Secret', 'alerts-service-operator').stringData,
      };
      await mkdir(volume, { recursive: true });
      for (const [name, contents] of Object.entries(files)) {
        await mkdir(join(root, name), { recursive: true });
        for (const [file, content] of Object.entries(contents ?? {})) await writeFile(join(root, name, file), content);
      }
      const { command = [], args, env = [] } = specOfPod().containers[0];
      const inside = (path: string) => path.replace('/var/lib/rolealerts', volume).replace('/etc/rolealerts', root);
      const here = args
        // No DNS resolves the name of a Service here.
        .filter((arg) => !arg.startsWith('--public-url='))
        .map((arg) => inside(arg).replace(/=:\d+$/, '=127.0.0.1:0'));
      const environment = Object.fromEntries(env.map(({ name, value }) => [name, inside(value)]));
      return { nodeFlags: command.slice(1, -1), args: here, environment, volume };
    }

    function start(
      nodeFlags: readonly string[],
      args: readonly string[],
      environment: Readonly<Record<string, string>>,
    ) {
      const env = { ...process.env, ...environment };
      const child = spawn(process.execPath, [...nodeFlags, programFile, ...args], {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const texts = { out: '', err: '' };
      child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.out += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.err += text));
      const ended = new Promise<number | null>((resolve) => {
        child.once('close', (code) => resolve(code));
      });
      onTestFinished(() => {
        child.kill('SIGKILL');
      });
      const said = (message: string) =>
        eventually(`"${message}" of ${args[0]}`, () => {
          if (child.exitCode !== null) throw new Error(texts.err);
          const lines = texts.err.split('\n').slice(0, -1);
          const line = lines.find((each) => each.includes(`"msg":"${message}"`));
          return line === undefined ? undefined : (JSON.parse(line) as Record<string, string>);
        });
      return { child, texts, ended, said };
    }

    const conditionOf = async (kind: string, name: string, type: string) => {
      const { status } = await controlPlane.kubectlJson<Conditions>(['get', kind, name, '--namespace', system]);
      const { status: value, reason } = status?.conditions?.find((condition) => condition.type === type) ?? {};
      return `${value}/${reason}`;
    };

    test('scans the cluster with the rights of its account, and the operator keeps its alerts as declared', async () => {
      const { nodeFlags, args, environment, volume } = await podArguments();
      const KUBECONFIG = await controlPlane.serviceAccountKubeconfig(system, 'alerts-service');
      const service = start(nodeFlags, args, { KUBECONFIG, ...environment });
      const { url = '' } = await service.said('alerts service started');
      const { probesURL, metricsURL } = await service.said('probes started');
      expect((await fetch(`${probesURL}/readyz`)).status).toBe(200);
      const { scopes } = await service.said('role assignments scanned');
      // The cluster itself, and the namespaces that have bindings.
      expect(Number(scopes)).toBeGreaterThan(1);
      expect(await (await fetch(`${metricsURL}/metrics`)).text()).toContain(
        'rolealerts_service_scans_total{result="succeeded"}',
      );

      const authority = await execAsInPages('ca.crt', environment);
      expect((await stat(join(volume, 'state.db'))).mode & 0o777).toBe(0o600);
      const backup = await execAsInPages('backup-1.db', environment);
      expect(await backUpDataFile(backup, `${backup}.checked`)).toMatchObject({ scopes: Number(scopes) });
      const create = ['create', 'configmap', 'alerts-service-ca', `--from-file=${authority}`, '--namespace', system];
      await controlPlane.kubectl(create);

      const publicURL = /https:\/\/alerts-service\.[^:/"]+:8443/g;
      const elsewhere = JSON.parse(
        JSON.stringify(one('RoleAlertConnection', 'this-cluster')).replaceAll(publicURL, url),
      ) as object;
      await apply(elsewhere);
      await apply(one('RoleAlertPolicy', 'cluster-owners'));
      const anywhere = ['--metrics-bind-address=127.0.0.1:0', '--health-probe-bind-address=127.0.0.1:0'];
      const reach = ['--leader-elect=false', '--allow-private-endpoints', `--watch-namespaces=${system}`];
      const operatorArgs = ['controller', ...reach, ...anywhere];
      const operator = start(operatorFlags, operatorArgs, { KUBECONFIG: controlPlane.kubeconfigPath });
      await expect.poll(() => conditionOf('rolealertpolicy', 'cluster-owners', 'Ready')).toBe('True/Succeeded');
      await expect.poll(() => conditionOf('rolealertconnection', 'this-cluster', 'Ready')).toBe('True/Connected');

      operator.child.kill('SIGTERM');
      service.child.kill('SIGTERM');
      expect(await Promise.all([operator.ended, service.ended])).toEqual([0, 0]);
      // `kubectl logs` shows both streams: each line is JSON.
      expect([operator.texts.out, service.texts.out]).toEqual(['', '']);
      const lines = [operator, service].flatMap(({ texts }) => texts.err.trimEnd().split('\n'));
      expect(lines.filter((line) => !isObject(parseJson(line)))).toEqual([]);
    });
  });
});
