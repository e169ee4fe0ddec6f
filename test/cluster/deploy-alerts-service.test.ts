// The manifests of deploy/alerts-service on a real API server: they cause no rejection and no warning, the pod is admitted where the
// restricted level is enforced, and their references agree. scanner.test.ts shows that they work.
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

import { serveOptions } from '../../src/commands/serve.ts';
import { environmentName } from '../../src/lib/options/option.ts';
import { credentialLabel, credentialLabelValue } from '../../src/policy/resources.ts';
import { decodeRegistrations } from '../../src/service/config-files/registrations-file.ts';
import { decodeScannerConfiguration } from '../../src/service/scanner/scanner-file.ts';
import { readPage } from '../support/rigs/page-blocks.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> };
  readonly spec?: object;
  readonly data?: Record<string, string>;
  readonly stringData?: Record<string, string>;
}

interface PodSpec {
  readonly containers: readonly [
    {
      readonly command: readonly string[];
      readonly args: readonly string[];
      readonly env: readonly object[];
      readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
      readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
      readonly securityContext: object;
    },
  ];
}

const folder = new URL('../../deploy/alerts-service', import.meta.url);
const namespace = 'rolealerts-alerts-service';

describeWithControlPlane('deploy/alerts-service', (controlPlane) => {
  let manifests: readonly Manifest[];
  const one = (kind: string, name: string) => {
    const found = manifests.filter((manifest) => manifest.kind === kind && manifest.metadata.name === name);
    if (!found[0] || found.length > 1) throw new Error(`not exactly one ${kind} ${name}`);
    return found[0];
  };
  const specOf = (kind: string, name: string) => one(kind, name).spec ?? {};
  const template = () =>
    (
      specOf('Deployment', 'alerts-service') as {
        template: { metadata: { labels: Record<string, string> }; spec: PodSpec };
      }
    ).template;
  const argument = (flag: string) =>
    template()
      .spec.containers[0].args.find((arg) => arg.startsWith(`--${flag}=`))
      ?.slice(flag.length + 3);
  const create = (object: object) =>
    controlPlane.kubectl(['apply', '--server-side', '-f', '-'], { input: JSON.stringify(object) });

  beforeAll(async () => {
    const text = await controlPlane.kubectl(['kustomize', folder.pathname]);
    manifests = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
    // For real: a dry run of what goes into them needs them.
    await create(one('Namespace', namespace));
    await create(one('ServiceAccount', 'alerts-service'));
  });

  test('the API server takes everything without a warning', async () => {
    const apply = ['apply', '--server-side', '--dry-run=server', '--kustomize', folder.pathname];
    const { exitCode, stdout, stderr } = await controlPlane.tryKubectl(apply);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout.trim().split('\n')).toHaveLength(manifests.length);
  });

  test('the pod is admitted under the restricted level, with a root that is read-only', async () => {
    const { metadata, spec } = template();
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'tried', labels: metadata.labels }, spec };
    const args = ['create', '--dry-run=server', '--namespace', namespace, '-f', '-'];
    const { exitCode, stderr } = await controlPlane.tryKubectl(args, { input: JSON.stringify(pod) });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(spec.containers[0].securityContext).toMatchObject({ readOnlyRootFilesystem: true });
  });

  test('there is one replica, and it ends before another starts: one process owns the data file', () => {
    expect(specOf('Deployment', 'alerts-service')).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
  });

  describe('what has to agree agrees:', () => {
    test('the flags are those of serve, each given once', () => {
      const [command, ...args] = template().spec.containers[0].args;
      const flags = args.map((arg) => arg.replace(/^--([^=]+).*$/, '$1'));
      const known = new Set<string>(Object.values(serveOptions).map(({ flag }) => flag));
      expect(command).toBe('serve');
      expect(flags.filter((flag) => !known.has(flag))).toEqual([]);
      expect(new Set(flags).size).toBe(flags.length);
    });

    test("the command is the entry point of the image's target for the service", async () => {
      const dockerfile = await readFile(new URL('Dockerfile', folder), 'utf8');
      const [, stage = ''] = dockerfile.split('FROM program AS alerts-service\n');
      const [, entryPoint = ''] = /^ENTRYPOINT (\[.*\])$/m.exec(stage) ?? [];
      expect(template().spec.containers[0].command).toEqual(JSON.parse(entryPoint));
    });

    test('ports', () => {
      const { ports } = template().spec.containers[0];
      const addresses = { https: argument('listen'), metrics: argument('metrics-bind-address') };
      const all = { ...addresses, probes: argument('health-probe-bind-address') };
      expect(Object.fromEntries(ports.map(({ name, containerPort }) => [name, `:${containerPort}`]))).toEqual(all);
    });

    test('the Service, whom it selects, and the public URL', () => {
      const { ports, selector } = specOf('Service', 'alerts-service') as {
        ports: readonly { name: string; port: number }[];
        selector: Record<string, string>;
      };
      const port = ports.find(({ name }) => name === 'https')?.port;
      expect(argument('public-url')).toBe(`https://alerts-service.${namespace}.svc:${port}`);
      expect(template().metadata.labels).toMatchObject(selector);
      const operator = specOf('Deployment', 'rolealerts') as {
        template: { metadata: { labels: Record<string, string> } };
      };
      expect(operator.template.metadata.labels).not.toMatchObject(selector);
    });

    test('the connection goes to the public URL, as a client that the service knows', async () => {
      const { endpoint, auth } = specOf('RoleAlertConnection', 'this-cluster') as {
        endpoint: { baseURL: string };
        auth: {
          clientCredentials: { tokenURL: string; clientID: string; clientSecretRef: { name: string; key: string } };
        };
      };
      const { tokenURL, clientID, clientSecretRef } = auth.clientCredentials;
      expect(endpoint.baseURL).toBe(argument('public-url'));
      expect(tokenURL).toBe(`${endpoint.baseURL}/common/oauth2/token`);
      const { metadata, stringData } = one('Secret', clientSecretRef.name);
      expect(metadata.labels).toEqual({ [credentialLabel]: credentialLabelValue });
      const users = one('Secret', 'alerts-service-users').stringData ?? {};
      const readText = async (path: string) => {
        const text = path.startsWith('../operator/') ? stringData?.[path.slice(12)] : users[path];
        if (text === undefined) throw new Error(`there is no ${path}`);
        return text;
      };
      const registrations = await decodeRegistrations(parse(users['registrations.yaml'] ?? ''), 'r', readText);
      const client = registrations.clients.find(({ id }) => id === clientID);
      expect(client?.secret?.reveal()).toBe(stringData?.[clientSecretRef.key]);
      expect(registrations.users.map(({ name }) => name)).toEqual(['admin']);
    });

    test('files lie where volumes are mounted, and the scanner scans what the policy is about', () => {
      const mounted = Object.fromEntries(
        template().spec.containers[0].volumeMounts.map(({ name, mountPath }) => [name, mountPath]),
      );
      const { env } = template().spec.containers[0];
      expect(env).toEqual([{ name: environmentName('data'), value: `${mounted['data']}/state.db` }]);
      expect(argument('registrations')).toBe(`${mounted['users']}/registrations.yaml`);
      expect(argument('scanner')).toBe(`${mounted['configuration']}/scanner.yaml`);
      const scanner = parse(one('ConfigMap', 'alerts-service').data?.['scanner.yaml'] ?? '') as unknown;
      const { source } = decodeScannerConfiguration(scanner, 'scanner.yaml');
      const name = source.from === 'cluster' ? source.name : '';
      expect(specOf('RoleAlertPolicy', 'cluster-owners')).toMatchObject({ scope: `clusters/${name}` });
    });

    test('the NetworkPolicy is about this pod, and the operator is let in where it is', () => {
      const { podSelector } = specOf('NetworkPolicy', 'alerts-service') as { podSelector: { matchLabels: object } };
      expect(template().metadata.labels).toMatchObject(podSelector.matchLabels);
      expect(JSON.stringify(one('NetworkPolicy', 'alerts-service'))).toContain(
        `"kubernetes.io/metadata.name":"${one('Deployment', 'rolealerts').metadata.namespace}"`,
      );
    });

    test('the README names the ConfigMap and its key as the connection does', () => {
      const readme = readPage('deploy/alerts-service/README.md');
      const { endpoint } = specOf('RoleAlertConnection', 'this-cluster') as {
        endpoint: { caBundleRef: { name: string; key: string } };
      };
      const { name, key } = endpoint.caBundleRef;
      expect(readme).toContain(`create configmap ${name} --from-file=${key}`);
      expect(readme).toContain(`serve ca > ${key}`);
    });

    test('every step of the pages in the pod runs the program, because the image has nothing else', () => {
      const pages = ['deploy/alerts-service/README.md', 'deploy/tasks/backup.md'].map(readPage).join('\n');
      const program = `node ${template().spec.containers[0].command.at(-1)} `;
      const steps = [...pages.matchAll(/ exec \S+ -- +(.*)/g)].map(([, step = '']) => step);
      expect(steps).toHaveLength(2);
      expect(steps.filter((step) => !step.startsWith(program))).toEqual([]);
    });
  });

  describe('with the component postgres', () => {
    let overlay: string;
    beforeAll(async () => {
      overlay = await mkdtemp(join(controlPlane.scratchDirectory, 'postgres-'));
      const from = (path: string) => relative(overlay, join(folder.pathname, path));
      const kustomization = { resources: [from('.')], components: [from('postgres')] };
      await writeFile(join(overlay, 'kustomization.yaml'), JSON.stringify(kustomization));
    });

    test('the API server takes everything without a warning', async () => {
      const apply = ['apply', '--server-side', '--dry-run=server', '--kustomize', overlay];
      const { exitCode, stderr } = await controlPlane.tryKubectl(apply);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    });

    test('replicas share the database, and one that ends serves until clients go elsewhere', async () => {
      const objects = parseAllDocuments(await controlPlane.kubectl(['kustomize', overlay]));
      const rendered = objects.map((document) => document.toJS() as Manifest);
      expect(rendered.filter(({ kind }) => kind === 'PersistentVolumeClaim')).toEqual([]);
      const deployments = rendered.filter(({ kind }) => kind === 'Deployment');
      const deployment = deployments.find(({ metadata }) => metadata.name === 'alerts-service');
      expect(deployment?.spec).toMatchObject({ replicas: 2, strategy: { type: 'RollingUpdate' } });
      const { template } = { ...deployment?.spec } as { template: { spec: PodSpec } };
      const { spec } = template;
      const url = { valueFrom: { secretKeyRef: { name: 'alerts-service-database', key: 'url' } } };
      expect(spec.containers[0]).toMatchObject({ lifecycle: { preStop: { sleep: { seconds: 5 } } } });
      expect(spec.containers[0].env).toEqual([{ name: environmentName('database'), ...url }]);
      expect(JSON.stringify(spec)).not.toContain('/var/lib/rolealerts');
      const policy = rendered.find(
        ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'alerts-service',
      );
      expect(JSON.stringify(policy?.spec)).toContain('"port":5432');
    });
  });
});
