// Leases, Events, Secrets and ConfigMaps, as far as the operator relies on them.
import { configMaps, events, type Json, type KubeCalls, type KubeCase, leases, secrets } from './kube-case.ts';

const lease = (spec: object = {}, name = 'l'): object => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name },
  spec: {
    holderIdentity: 'one',
    leaseDurationSeconds: 35,
    acquireTime: '2026-01-01T00:00:00.000000Z',
    renewTime: '2026-01-01T00:00:00.000000Z',
    leaseTransitions: 0,
    ...spec,
  },
});

const event = (calls: KubeCalls, name: string, change: object = {}): object => ({
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { name, namespace: calls.namespace },
  eventTime: '2026-01-01T00:00:00.000000Z',
  reportingController: 'rolealerts.dev/rolealerts',
  reportingInstance: 'rolealerts-0',
  regarding: { kind: 'RoleAlertPolicy', name: 'a', namespace: calls.namespace },
  type: 'Normal',
  reason: 'DriftCorrected',
  action: 'Activate',
  note: 'done',
  ...change,
});

export const builtInCases: readonly KubeCase[] = [
  {
    says: 'a Lease is created once, and then replaced by a client that knows its version',
    run: async (calls) => {
      const first = await calls.create(leases, lease());
      const taken = await calls.create(leases, lease({ holderIdentity: 'two' }));
      const spec = { ...first.object.spec, holderIdentity: 'two' };
      const second = await calls.replace(leases, 'l', { ...first.object, spec });
      const late = await calls.replace(leases, 'l', first.object);
      const { object } = await calls.get(leases, 'l');
      return [[first, taken, second, late].map(({ statusText }) => statusText), object.spec['holderIdentity']];
    },
    gives: [['201', '409 AlreadyExists', '200', '409 Conflict'], 'two'],
  },
  {
    says: 'a Lease is not replaced without its version, nor by one of another uid',
    run: async (calls) => {
      const { metadata } = (await calls.create(leases, lease())).object;
      const { resourceVersion } = metadata;
      const foreign = { name: 'l', resourceVersion, uid: '00000000-0000-4000-8000-000000000000' };
      const answers = [
        await calls.replace(leases, 'l', lease({ holderIdentity: 'two' })),
        await calls.replace(leases, 'l', { ...lease({ holderIdentity: 'two' }), metadata: foreign }),
      ];
      return answers.map(({ statusText }) => statusText);
    },
    gives: ['422 Invalid', '409 Conflict'],
  },
  {
    says: 'a Lease that was deleted is not replaced by one who knew it',
    run: async (calls) => {
      const { object } = await calls.create(leases, lease());
      await calls.remove(leases, 'l');
      const { status } = await calls.replace(leases, 'l', object);
      return [status >= 400, (await calls.get(leases, 'l')).statusText];
    },
    gives: [true, '404 NotFound'],
  },
  {
    says: 'an empty holder is kept as none, and the rest of a Lease as it was',
    run: async (calls) => {
      const { object } = await calls.create(leases, lease());
      const spec = { ...object.spec, holderIdentity: '', leaseDurationSeconds: 1 };
      const released = (await calls.replace(leases, 'l', { ...object, spec })).object;
      return [released.spec['holderIdentity'] ?? '', released.spec['leaseDurationSeconds']];
    },
    gives: ['', 1],
  },
  {
    says: 'an Event is made once under its name',
    run: async (calls) => [
      (await calls.create(events, event(calls, 'a.1'))).statusText,
      (await calls.create(events, event(calls, 'a.1', { note: 'other' }))).statusText,
    ],
    gives: ['201', '409 AlreadyExists'],
  },
  {
    says: 'an Event that lacks something, or is too long, is refused',
    run: async (calls) => {
      const changes: Json[] = [
        { reason: undefined },
        { reason: 'x'.repeat(129) },
        { action: '' },
        { action: 'x'.repeat(129) },
        { reportingController: undefined },
        { reportingController: 'no name' },
        { reportingInstance: '' },
        { reportingInstance: 'x'.repeat(129) },
        { type: 'Error' },
        { note: 'x'.repeat(1025) },
        { eventTime: undefined },
        { regarding: { kind: 'Pod', name: 'a' } },
      ];
      const answers = changes.map((change, index) => calls.create(events, event(calls, `a.${index}`, change)));
      return (await Promise.all(answers)).map(({ statusText }) => statusText);
    },
    gives: Array(12).fill('422 Invalid'),
  },
  {
    says: 'an Event may regard an object of another namespace',
    run: async (calls) => {
      const regarding = { kind: 'Pod', name: 'a', namespace: 'elsewhere' };
      return (await calls.create(events, event(calls, 'a.1', { regarding }))).statusText;
    },
    gives: '201',
  },
  {
    says: 'an Event at the limits is taken',
    run: async (calls) => {
      const change = { note: 'x'.repeat(1024), reason: 'x'.repeat(128), reportingInstance: 'x'.repeat(128) };
      return (await calls.create(events, event(calls, 'a.1', change))).statusText;
    },
    gives: '201',
  },
  {
    says: 'Secrets and ConfigMaps are read by name, as they were written last',
    run: async (calls) => {
      await calls.create(secrets, { metadata: { name: 's', labels: { a: 'b' } }, data: { token: 'eA==' } });
      await calls.create(configMaps, { metadata: { name: 'c' }, data: { 'ca.crt': 'PEM' } });
      await calls.merge(secrets, 's', { data: { token: 'eQ==', old: null } });
      const read = [await calls.get(secrets, 's'), await calls.get(configMaps, 'c'), await calls.get(secrets, 'x')];
      return [
        read.map(({ statusText }) => statusText),
        read[0]?.object.data,
        read[1]?.object.data,
        read[0]?.object.metadata['labels'],
      ];
    },
    gives: [['200', '200', '404 NotFound'], { token: 'eQ==' }, { 'ca.crt': 'PEM' }, { a: 'b' }],
  },
];
