// The alerts service of deploy/alerts-service with its own arguments and files, as the bundle that is in the image: only paths and
// addresses are those of this machine. Then the operator, which learns of it from the overlay's own connection and policy.
import { execFile, spawn } from 'node:child_process';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';

import { isObject, parseJson } from '../../src/lib/json-shape.ts';
import { backUpDataFile } from '../../src/service/database/backup.ts';
import { readPage } from '../support/rigs/page-blocks.ts';
import { programFile } from '../support/rigs/program.ts';
import { describeWithOwnControlPlane, eventually } from '../support/servers/control-plane.ts';

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
const namespace = 'rolealerts-alerts-service';
/** As in deploy/Dockerfile. */
const operatorFlags = ['--max-semi-space-size=4', '--single-threaded-gc', '--efficiency-mode'];

describeWithOwnControlPlane('the alerts service in the cluster', (controlPlane) => {
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
    await apply(one('Namespace', namespace));
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

  function start(nodeFlags: readonly string[], args: readonly string[], environment: Readonly<Record<string, string>>) {
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
    const { status } = await controlPlane.kubectlJson<Conditions>(['get', kind, name, '--namespace', namespace]);
    const { status: value, reason } = status?.conditions?.find((condition) => condition.type === type) ?? {};
    return `${value}/${reason}`;
  };

  test('scans the cluster with the rights of its account, and the operator keeps its alerts as declared', async () => {
    const { nodeFlags, args, environment, volume } = await podArguments();
    const KUBECONFIG = await controlPlane.serviceAccountKubeconfig(namespace, 'alerts-service');
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
    const create = ['create', 'configmap', 'alerts-service-ca', `--from-file=${authority}`, '--namespace', namespace];
    await controlPlane.kubectl(create);

    const publicURL = /https:\/\/alerts-service\.[^:/"]+:8443/g;
    const elsewhere = JSON.parse(
      JSON.stringify(one('RoleAlertConnection', 'this-cluster')).replaceAll(publicURL, url),
    ) as object;
    await apply(elsewhere);
    await apply(one('RoleAlertPolicy', 'cluster-owners'));
    const anywhere = ['--metrics-bind-address=127.0.0.1:0', '--health-probe-bind-address=127.0.0.1:0'];
    const reach = ['--leader-elect=false', '--allow-private-endpoints', `--watch-namespaces=${namespace}`];
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
