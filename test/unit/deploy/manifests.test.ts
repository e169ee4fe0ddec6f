// What the manifests of the two Deployments have in common, read as files. test/cluster/deploy.test.ts has what an API server says of them.
import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { configOf } from '../../../.config/image/dockerfile.ts';
import { readText } from '../../support/checks/findings.ts';

interface Probe {
  readonly httpGet: { readonly path: string };
  readonly initialDelaySeconds?: number;
}

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly securityContext: Record<string, unknown>;
        readonly containers: readonly [
          {
            readonly terminationMessagePolicy: string;
            readonly startupProbe: Probe;
            readonly livenessProbe: Probe;
            readonly readinessProbe: Probe;
          },
        ];
      };
    };
  };
}

interface NetworkPolicy {
  readonly spec: {
    readonly ingress: readonly { readonly from: unknown; readonly ports: readonly { port: string }[] }[];
  };
}

const read = (file: string): unknown => parse(readText(file).text);
const podOf = (file: string) => (read(file) as Deployment).spec.template.spec;
const both = ['base', 'alerts-service'] as const;

test.each(both)('%s: `kubectl describe` shows why a container ended', (folder) => {
  const [container] = podOf(`deploy/${folder}/deployment.yaml`).containers;
  expect(container.terminationMessagePolicy).toBe('FallbackToLogsOnError');
});

test.each(both)('%s: a slow start meets no liveness probe, and no other probe begins before it ends', (folder) => {
  const [{ startupProbe, livenessProbe, readinessProbe }] = podOf(`deploy/${folder}/deployment.yaml`).containers;
  expect(startupProbe.httpGet.path).toBe('/readyz');
  expect([livenessProbe, readinessProbe].map((probe) => probe.initialDelaySeconds)).toEqual([undefined, undefined]);
});

test.each(both)('%s: the image names the user, so that a cluster may assign another', (folder) => {
  const { securityContext } = podOf(`deploy/${folder}/deployment.yaml`);
  expect(securityContext).toMatchObject({ runAsNonRoot: true });
  expect(Object.keys(securityContext)).not.toContain('runAsUser');
  expect(Object.keys(securityContext)).not.toContain('runAsGroup');
  // Kubernetes cannot verify that a user with a name is not root.
  expect(configOf('operator').User).toMatch(/^[1-9]\d*:[1-9]\d*$/);
});

test('the group of the volume is that of the user of the image', () => {
  const [, group] = configOf('alerts-service').User?.split(':') ?? [];
  expect(podOf('deploy/alerts-service/deployment.yaml').securityContext['fsGroup']).toBe(Number(group));
});

test('the disruption budget lets a broken operator be drained, and one replica at a time', () => {
  expect(read('deploy/base/disruption-budget.yaml')).toMatchObject({
    spec: { maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
  });
});

test.each(both)('%s: only namespaces with the label of scrapers reach the metrics', (folder) => {
  const { ingress } = (read(`deploy/${folder}/network-policy.yaml`) as NetworkPolicy).spec;
  const [rule, ...more] = ingress.filter(({ ports }) => ports.some(({ port }) => port === 'metrics'));
  expect(rule?.from).toEqual([{ namespaceSelector: { matchLabels: { metrics: 'enabled' } } }]);
  expect(more).toEqual([]);
});
