// The manifests of deploy/alerts-service on a real API server: they cause no rejection and no warning. pods/pages.test.ts shows that they
// work, where the restricted level is enforced.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';

import { environmentName } from '../../src/lib/options/option.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> };
  readonly spec?: object;
}

interface PodSpec {
  readonly containers: readonly [
    {
      readonly args: readonly string[];
      readonly env: readonly object[];
      readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
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

  test('the root of the pod is read-only', () => {
    expect(template().spec.containers[0].securityContext).toMatchObject({ readOnlyRootFilesystem: true });
  });

  test('there is one replica, and it ends before another starts: one process owns the data file', () => {
    expect(specOf('Deployment', 'alerts-service')).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
  });

  test('the metrics have the port that the service listens on', () => {
    const { args, ports } = template().spec.containers[0];
    const port = ports.find(({ name }) => name === 'metrics')?.containerPort;
    expect(args).toContain(`--metrics-bind-address=:${port}`);
  });

  test('the NetworkPolicy is about this pod, and the operator is let in where it is', () => {
    const { podSelector } = specOf('NetworkPolicy', 'alerts-service') as { podSelector: { matchLabels: object } };
    expect(template().metadata.labels).toMatchObject(podSelector.matchLabels);
    expect(JSON.stringify(one('NetworkPolicy', 'alerts-service'))).toContain(
      `"kubernetes.io/metadata.name":"${one('Deployment', 'rolealerts').metadata.namespace}"`,
    );
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
