// How long connections and namespaces with dismissals take to go, in every situation of "Delete a connection" in deploy/README.md, on a real
// API server with the real namespace controller and at the default limits. It prints the seconds.
import { afterAll, test } from 'vitest';

import { countInactive, pause, startDismissedRig } from '../support/rigs/dismissed-rig.ts';
import type { OperatorRig } from '../support/rigs/operator-rig.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

const rows: string[] = [];

interface Situation {
  readonly title: string;
  readonly counts: readonly number[];
  /** Returns what is awaited. */
  readonly act: (place: Place) => Promise<'connection' | 'namespace'>;
  /** Alerts stay inactive. */
  readonly isAbandoned?: true;
}

interface Place {
  readonly rig: OperatorRig;
  readonly deleteNamespace: () => Promise<void>;
}

const away = ({ proxy }: OperatorRig) => {
  proxy.intercept = (_, response) => {
    response.writeHead(503).end();
    return true;
  };
};
const back = ({ proxy }: OperatorRig) => {
  proxy.intercept = () => undefined;
};

const situations: readonly Situation[] = [
  {
    title: 'the connection',
    counts: [1, 100, 500],
    async act({ rig }) {
      await rig.deleteConnection('prod');
      return 'connection';
    },
  },
  {
    title: 'the namespace',
    counts: [1, 100],
    async act({ deleteNamespace }) {
      await deleteNamespace();
      return 'namespace';
    },
  },
  {
    title: 'the namespace, after its Secret',
    counts: [1, 100],
    async act({ rig, deleteNamespace }) {
      await rig.deleteSecret('credentials');
      await deleteNamespace();
      return 'namespace';
    },
  },
  {
    title: 'the connection, while the service is away for 60 s',
    counts: [1, 100],
    async act({ rig }) {
      away(rig);
      await rig.deleteConnection('prod');
      await pause(60);
      if (rig.connection('prod').metadata.deletionTimestamp === undefined) throw new Error('it does not wait');
      back(rig);
      return 'connection';
    },
  },
  {
    title: 'the namespace, while the service is away',
    counts: [1, 100],
    isAbandoned: true,
    async act({ rig, deleteNamespace }) {
      away(rig);
      await deleteNamespace();
      return 'namespace';
    },
  },
  {
    title: 'the connection, while the operator is away for 30 s',
    counts: [1, 100],
    async act({ rig }) {
      await rig.stopOperator();
      await rig.deleteConnection('prod');
      await pause(30);
      await rig.startOperator();
      return 'connection';
    },
  },
  {
    title: 'the connection, with a new leader after 10 s',
    counts: [100],
    async act({ rig }) {
      await rig.deleteConnection('prod');
      await pause(10);
      await rig.stopOperator();
      await rig.startOperator();
      return 'connection';
    },
  },
  {
    title: 'the connection, whose finalizer is removed by hand',
    counts: [1, 100],
    isAbandoned: true,
    async act({ rig }) {
      away(rig);
      await rig.deleteConnection('prod');
      await rig.send('PATCH', 'rolealertconnections/prod', { metadata: { finalizers: null } });
      return 'connection';
    },
  },
];

describeWithControlPlane('what goes with dismissals in force', (controlPlane) => {
  afterAll(() => {
    process.stdout.write(
      `${['| what is deleted | dismissals | seconds | meanwhile | inactive afterwards |', '|---|---|---|---|---|', ...rows].join('\n')}\n`,
    );
  });

  const cases = situations.flatMap((situation) => situation.counts.map((count) => ({ ...situation, count })));
  test.concurrent.for(cases)(
    '$title, with $count',
    async ({ title, count, act, isAbandoned }, { expect, onTestFinished }) => {
      const rig = await startDismissedRig(controlPlane, { count, onTestFinished });
      const kubectl = async (...args: string[]) => controlPlane.kubectl(args);
      const deleteNamespace = async () => void (await kubectl('delete', 'namespace', rig.namespace, '--wait=false'));
      const begunMs = performance.now();
      const kind = await act({ rig, deleteNamespace });
      const where = kind === 'namespace' ? ['namespace', rig.namespace] : ['rac', 'prod', '-n', rig.namespace];
      let meanwhile = '';
      const left = async () => {
        const row = await kubectl('get', 'rac', 'prod', '-n', rig.namespace, '--no-headers', '--ignore-not-found');
        if (row.trim() !== '') meanwhile = row.trim().replace(/\s{2,}/g, ' ');
        return (await kubectl('get', ...where, '--ignore-not-found', '--output=name')).trim();
      };
      await expect.poll(left, { timeout: 800_000, interval: 200 }).toBe('');
      const seconds = (performance.now() - begunMs) / 1000;
      const inactive = await countInactive(rig, count);
      rows.push(`| ${title} | ${count} | ${seconds.toFixed(1)} | ${meanwhile} | ${inactive} |`);
      expect(inactive > 0).toBe(isAbandoned === true);
      if (isAbandoned) (rig.lines as string[]).splice(0);
    },
  );
});
