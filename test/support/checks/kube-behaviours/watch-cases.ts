// The events of a watch, their order, and its end.
import { isCoded } from '../../../../src/lib/errors.ts';
import { type KubeCalls, type KubeCase, leases, policies, policy, type SeenObject } from './kube-case.ts';

const create = async (calls: KubeCalls, name: string, metadata: object = {}): Promise<SeenObject> =>
  (await calls.create(policies, policy(name, {}, metadata))).object;

const versionOf = async (calls: KubeCalls): Promise<string> =>
  (await calls.list(policies)).object.metadata.resourceVersion;

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => 'accepted',
    (error: unknown) => (isCoded(error) ? `${error.status} ${error.reason ?? ''}` : String(error)),
  );

export const watchCases: readonly KubeCase[] = [
  {
    says: 'a watch delivers every change after its version, in order, with growing versions',
    run: async (calls) => {
      await create(calls, 'before');
      const watch = await calls.watch(policies, { resourceVersion: await versionOf(calls) });
      await create(calls, 'a');
      await calls.merge(policies, 'a', { spec: { suspend: true } });
      await calls.remove(policies, 'before');
      await calls.remove(policies, 'a');
      const seen = await watch.next(4);
      watch.close();
      const versions = seen.map(({ object }) => BigInt(object.metadata.resourceVersion ?? 0));
      return {
        seen: seen.map(({ type, object }) => `${type} ${object.metadata.name}`),
        isGrowing: versions.every((version, index) => index === 0 || version > (versions[index - 1] ?? 0n)),
        generations: seen.map(({ object }) => object.metadata.generation),
      };
    },
    gives: {
      seen: ['ADDED a', 'MODIFIED a', 'DELETED before', 'DELETED a'],
      isGrowing: true,
      generations: [1, 2, 1, 2],
    },
  },
  {
    says: 'a write that changes nothing causes no event, except the first one',
    run: async (calls) => {
      const watch = await calls.watch(policies, { resourceVersion: await versionOf(calls) });
      const a = (await calls.replace(policies, 'a', await create(calls, 'a'))).object;
      await calls.replace(policies, 'a', a);
      await calls.replaceStatus(policies, 'a', a);
      await create(calls, 'b');
      const seen = await watch.summaries(3);
      watch.close();
      return seen;
    },
    gives: ['ADDED a', 'MODIFIED a', 'ADDED b'],
  },
  {
    says: 'an object that is made anew under its name is deleted and added',
    run: async (calls) => {
      const first = await create(calls, 'a');
      const watch = await calls.watch(policies, { resourceVersion: first.metadata.resourceVersion });
      await calls.remove(policies, 'a');
      const second = await create(calls, 'a');
      const seen = await watch.next(2);
      watch.close();
      const uids = [first.metadata.uid, second.metadata.uid];
      return seen.map(({ type, object }) => [type, uids.indexOf(object.metadata.uid ?? '')]);
    },
    gives: [
      ['DELETED', 0],
      ['ADDED', 1],
    ],
  },
  {
    says: 'an object with a finalizer is changed when it is marked, and deleted when its finalizers are removed',
    run: async (calls) => {
      const a = await create(calls, 'a', { finalizers: ['x.test/hold'] });
      const watch = await calls.watch(policies, { resourceVersion: a.metadata.resourceVersion });
      await calls.remove(policies, 'a');
      await calls.merge(policies, 'a', { metadata: { finalizers: null } });
      const seen = await watch.next(2);
      watch.close();
      return seen.map(({ type, object }) => [type, 'deletionTimestamp' in object.metadata]);
    },
    gives: [
      ['MODIFIED', true],
      ['DELETED', true],
    ],
  },
  {
    says: 'what begins to fit a selector is added, and what stops is deleted as it last fitted',
    run: async (calls) => {
      const label = (value: string | null) => ({ metadata: { labels: { team: value } } });
      const resourceVersion = await versionOf(calls);
      const query = { resourceVersion, labelSelector: 'team=x' };
      const early = await calls.watch(policies, query);
      await create(calls, 'a', { labels: { team: 'y' } });
      await calls.merge(policies, 'a', label('x'));
      await calls.merge(policies, 'a', { spec: { suspend: true } });
      await calls.merge(policies, 'a', { ...label(null), spec: { suspend: false } });
      await calls.merge(policies, 'a', label('x'));
      await calls.remove(policies, 'a');
      const late = await calls.watch(policies, query);
      const seen = [await early.next(5), await late.next(5)];
      early.close();
      late.close();
      return seen.map((events) => events.map(({ type, object }) => `${type} ${String(object.spec?.['suspend'])}`));
    },
    gives: [
      ['ADDED false', 'MODIFIED true', 'DELETED true', 'ADDED false', 'DELETED false'],
      ['ADDED false', 'MODIFIED true', 'DELETED true', 'ADDED false', 'DELETED false'],
    ],
  },
  {
    says: 'a watch of one name hears nothing of others',
    run: async (calls) => {
      const lease = (name: string) => calls.create(leases, { metadata: { name }, spec: {} });
      const { resourceVersion } = (await lease('a')).object.metadata;
      const watch = await calls.watch(leases, { resourceVersion, fieldSelector: 'metadata.name=a' });
      await lease('b');
      await calls.remove(leases, 'b');
      await calls.merge(leases, 'a', { spec: { holderIdentity: 'x' } });
      await calls.remove(leases, 'a');
      const seen = await watch.summaries(2);
      watch.close();
      return seen;
    },
    gives: ['MODIFIED a', 'DELETED a'],
  },
  {
    says: 'a watch ends in order after the time it asked for, and a bookmark says how far it came',
    run: async (calls) => {
      const other = calls.in(await calls.api.newNamespace());
      const resourceVersion = await versionOf(calls);
      const watch = await calls.watch(policies, { resourceVersion, timeoutSeconds: 3, allowWatchBookmarks: true });
      const { metadata } = await create(other, 'x');
      const seen = await watch.rest();
      const [bookmark] = seen.slice(-1);
      const isFar = BigInt(bookmark?.object.metadata.resourceVersion ?? 0) >= BigInt(metadata.resourceVersion);
      return [[...new Set(seen.map(({ type }) => type))], bookmark?.object.kind, isFar];
    },
    gives: [['BOOKMARK'], 'RoleAlertPolicy', true],
  },
  {
    says: 'a watch from a compacted version ends with an error in the stream',
    run: async (calls) => {
      const watch = await calls.watch(policies, { resourceVersion: '1' });
      const seen = await watch.rest();
      return seen.map(({ type, object }) => [type, object.code, object.reason]);
    },
    gives: [['ERROR', 410, 'Expired']],
  },
  {
    says: 'a watch is refused as a list would be',
    run: async (calls) => {
      const { stranger, unprivileged } = calls.api;
      return Promise.all([
        failureOf(calls.as(stranger).watch(policies)),
        failureOf(calls.as(unprivileged).watch(policies)),
        failureOf(calls.watch({ ...policies, plural: 'unknowns' })),
        failureOf(calls.watch(policies, { resourceVersion: 'nonsense' })),
      ]);
    },
    gives: ['401 Unauthorized', '403 Forbidden', '404 ', '500 '],
  },
];
