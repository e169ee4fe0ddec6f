// The manifests of deploy/ on a real API server: they cause no rejection and no warning. rbac.test.ts covers the permissions, and
// pods/pages.test.ts that the Pods become ready.
import { readFile } from 'node:fs/promises';

import { beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';

import { parseLabelSelector } from '../../src/lib/label-selector.ts';
import { credentialLabel, credentialLabelValue } from '../../src/policy/resources.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> };
  readonly spec?: Record<string, never>;
}

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly resources: object;
  readonly securityContext: Record<string, unknown>;
}

interface PodTemplate {
  readonly metadata: { readonly labels: Record<string, string> };
  readonly spec: Record<string, unknown> & { readonly containers: readonly [Container] };
}

const root = new URL('../..', import.meta.url);
const folder = (path: string) => new URL(path, root).pathname;

describeWithControlPlane('deploy', (controlPlane) => {
  let manifests: readonly Manifest[];
  const render = async (path: string) => {
    const text = await controlPlane.kubectl(['kustomize', folder(path)]);
    return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
  };
  const one = (kind: string) => {
    const [found, ...more] = manifests.filter((manifest) => manifest.kind === kind);
    if (found === undefined || more.length > 0) throw new Error(`not exactly one ${kind}`);
    return found;
  };
  const template = () => (one('Deployment').spec as unknown as { template: PodTemplate }).template;

  beforeAll(async () => {
    manifests = await render('deploy/base');
  });

  test('the API server takes everything of base without a warning', async () => {
    const apply = ['apply', '--server-side', '--dry-run=server', '--kustomize', folder('deploy/base')];
    const { exitCode, stdout, stderr } = await controlPlane.tryKubectl(apply);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout.trim().split('\n')).toHaveLength(manifests.length);
  });

  test('its root is read-only, it may gain nothing, and it has a bound of memory', () => {
    const { securityContext, resources } = template().spec.containers[0];
    expect(securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(resources).toMatchObject({
      requests: { memory: expect.any(String) },
      limits: { memory: expect.any(String) },
    });
  });

  test('there are two operators that elect a leader, and one of them stays through updates and drained nodes, with time to release the Lease', () => {
    const rollingUpdate = { maxUnavailable: 0, maxSurge: 1 };
    expect(one('Deployment').spec).toMatchObject({ replicas: 2, strategy: { type: 'RollingUpdate', rollingUpdate } });
    expect(template().spec.containers[0].args.join(' ')).not.toMatch(/leader-elect\b/);
    expect(one('PodDisruptionBudget').spec).toMatchObject({ maxUnavailable: 1 });
    expect(template().spec['terminationGracePeriodSeconds']).toBeGreaterThanOrEqual(30);
  });

  test('the disruption budget and the spread select the pods of the template', () => {
    const { labels } = template().metadata;
    const budget = one('PodDisruptionBudget').spec as unknown as { selector: { matchLabels: Record<string, string> } };
    expect(labels).toMatchObject(budget.selector.matchLabels);
    const spread = template().spec['topologySpreadConstraints'] as readonly {
      labelSelector: { matchLabels: object };
    }[];
    expect(spread).toHaveLength(1);
    expect(labels).toMatchObject(spread[0]?.labelSelector.matchLabels ?? { absent: '' });
  });

  test('the metrics have the port that the operator listens on', () => {
    const { args, ports } = template().spec.containers[0];
    const port = ports.find(({ name }) => name === 'metrics')?.containerPort;
    expect(args).toContain(`--metrics-bind-address=:${port}`);
  });

  test('the shard beside it has a namespace, a Lease and a binding of its own, and no role of the cluster', async () => {
    const base = manifests;
    manifests = await render('deploy/shard');
    try {
      const { args } = template().spec.containers[0];
      const [id] = args.flatMap((arg) => /^--leader-election-id=(.*)$/.exec(arg)?.[1] ?? []);
      const [selector] = args.flatMap((arg) => /^--connection-selector=(.*)$/.exec(arg)?.[1] ?? []);
      expect(parseLabelSelector(selector ?? '')).toBeDefined();
      const { rules } = one('Role') as unknown as { rules: readonly { resourceNames?: readonly string[] }[] };
      expect(rules[1]?.resourceNames).toEqual([id]);
      const key = ({ kind, metadata }: Manifest) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
      const known = new Set(base.map((manifest) => key(manifest)));
      expect(manifests.map((manifest) => key(manifest)).filter((each) => known.has(each))).toEqual([]);
      const subjects = [one('ClusterRoleBinding'), one('RoleBinding')].map(
        (binding) => (binding as unknown as { subjects: readonly { namespace: string }[] }).subjects[0]?.namespace,
      );
      expect(subjects).toEqual(['rolealerts-shard-a', 'rolealerts-shard-a']);
    } finally {
      manifests = base;
    }
  });

  test("the image has the package's version, and runs on the Node that the tests run on", async () => {
    const text = await readFile(new URL('package.json', root), 'utf8');
    const { version, devDependencies } = JSON.parse(text) as { version: string; devDependencies: { node: string } };
    expect(template().spec.containers[0].image).toBe(`rolealerts:${version}`);
    const dockerfile = await readFile(new URL('deploy/Dockerfile', root), 'utf8');
    expect(dockerfile).toContain(`FROM node:${devDependencies.node}-bookworm-slim AS node\n`);
    expect(dockerfile.match(/^FROM .*$/gm)?.at(-1)).toBe('FROM program AS operator');
    const service = await readFile(new URL('deploy/alerts-service/deployment.yaml', root), 'utf8');
    const [, command = ''] = /^ +command: (.*)$/m.exec(service) ?? [];
    expect(dockerfile).toContain(`\nENTRYPOINT ${command.replaceAll(/[^[\], ]+/g, '"$&"')}\nCMD ["serve",`);
  });

  test('every sample is taken, and the README names each', async () => {
    const team = await controlPlane.newNamespace();
    const apply = ['apply', '--server-side', '--namespace', team, '--kustomize', folder('deploy/samples')];
    const { exitCode, stderr, stdout } = await controlPlane.tryKubectl(apply);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const kustomization = await readFile(new URL('deploy/samples/kustomization.yaml', root), 'utf8');
    const files = kustomization.match(/[a-z-]+\.yaml/g) ?? [];
    expect(stdout.trim().split('\n')).toHaveLength(files.length);
    const readme = await readFile(new URL('deploy/samples/README.md', root), 'utf8');
    expect(files.filter((file) => !readme.includes(`\`${file}\``))).toEqual([]);
  });

  test('the sample of a cluster connection is taken, and the README names it', async () => {
    const file = folder('deploy/samples/cluster-connection.yaml');
    const { exitCode, stderr } = await controlPlane.tryKubectl(['apply', '--dry-run=server', '--filename', file]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const readme = await readFile(new URL('deploy/samples/README.md', root), 'utf8');
    expect(readme).toContain('`cluster-connection.yaml`');
  });

  test("the samples' Secret carries the label without which it is not used", async () => {
    const secret = (await render('deploy/samples')).find((manifest) => manifest.kind === 'Secret');
    expect(secret?.metadata.labels).toEqual({ [credentialLabel]: credentialLabelValue });
  });
});
