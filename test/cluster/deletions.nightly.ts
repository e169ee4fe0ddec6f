// How long connections and namespaces with dismissals take to go, in every situation of "Delete a connection" in deploy/README.md, on a real
// API server with the real namespace controller and at the default limits. It prints the rows of the table there.
import { afterAll, expect, test, type TestContext } from 'vitest';

import { tomorrow } from '../support/builders/tomorrow.ts';
import { type OperatorRig, startRig } from '../support/rigs/operator-rig.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

const alertsPerScope = 10;
/** The defaults of the CRD. */
const limits = { requestsPerHour: 7200, burst: 100, maxConcurrent: 4, requestTimeout: '30s', minInterval: '1m' };
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
const pause = async (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

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
      expect(rig.connection('prod').metadata.deletionTimestamp).toBeDefined();
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

  /** The operator starts with the ledger, as after a restart: at the hourly limit of deactivations 500 would take five hours. */
  async function populated(count: number, onTestFinished: TestContext['onTestFinished']): Promise<OperatorRig> {
    const alerts = Array.from({ length: Math.min(count, alertsPerScope) }, (_, index) => `A${index}`);
    const scopes = Array.from({ length: Math.ceil(count / alertsPerScope) }, (_, index) => `subscriptions/s${index}`);
    const seeded = alerts.map((name) => ({ name, properties: { isActive: false } }));
    const rig = await startRig(controlPlane, {
      onTestFinished,
      scopes: Object.fromEntries(scopes.map((scope) => [scope, seeded])),
      isStarted: false,
    });
    const until = tomorrow();
    const dismissal = { reason: 'tracked in SEC-1182', maxIncidents: 5, until };
    await rig.createConnection({ spec: { limits } });
    for (const [index, scope] of scopes.entries())
      await rig.createPolicy(`p${index}`, {
        scope,
        alerts: alerts.map((name) => ({ name, state: 'Inactive', dismissal })),
      });
    const since = new Date().toISOString().replace(/\.\d+/, '');
    const dismissals = scopes.flatMap((scope, index) =>
      alerts.map((alert) => ({ scope, alert, policy: `${rig.namespace}/p${index}`, since, until })),
    );
    const path = 'rolealertconnections/prod';
    await rig.send('PATCH', path, { metadata: { finalizers: ['rolealerts.dev/dismissals'] } });
    const { body } = await rig.send('GET', path);
    const status = { ...(body?.status as object), dismissalCount: dismissals.length, dismissals };
    await rig.send('PUT', `${path}/status`, { ...body, status });
    await rig.startOperator();
    await rig.policyIs(`p${scopes.length - 1}`, 'Ready', 'True/Succeeded');
    await rig.connectionIs('prod', 'True/Connected');
    // Until then a PATCH of the operator before may still take effect, so no list ends an entry.
    await pause(120);
    return rig;
  }

  const cases = situations.flatMap((situation) => situation.counts.map((count) => ({ ...situation, count })));
  test.concurrent.for(cases)('$title, with $count', async ({ title, count, act, isAbandoned }, { onTestFinished }) => {
    const rig = await populated(count, onTestFinished);
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
    const flags = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        rig.flag(`subscriptions/s${Math.floor(index / alertsPerScope)}`, `A${index % alertsPerScope}`),
      ),
    );
    const inactive = flags.filter((isActive) => isActive === false).length;
    rows.push(`| ${title} | ${count} | ${seconds.toFixed(1)} | ${meanwhile} | ${inactive} |`);
    expect(inactive > 0).toBe(isAbandoned === true);
    if (isAbandoned) (rig.lines as string[]).splice(0);
  });
});
