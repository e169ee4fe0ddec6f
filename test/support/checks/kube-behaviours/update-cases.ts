// Replacing and patching objects, and conflicts.
import { pendingStatus } from '../../../../src/policy/resources.ts';
import { type Json, type KubeCalls, type KubeCase, policies, policy, type SeenObject } from './kube-case.ts';

const create = async (calls: KubeCalls, spec: object = {}, metadata: object = {}): Promise<SeenObject> =>
  (await calls.create(policies, policy('a', spec, metadata))).object;

/** What changed from one object to the next. */
const between = (before: SeenObject, after: SeenObject) => ({
  generation: Number(after.metadata['generation']) - Number(before.metadata['generation']),
  isNewVersion: BigInt(after.metadata.resourceVersion) > BigInt(before.metadata.resourceVersion),
  isSameUid: after.metadata.uid === before.metadata.uid,
});

const withMetadata = (object: SeenObject, metadata: Json): object => ({
  ...object,
  metadata: { ...object.metadata, ...metadata },
});

export const updateCases: readonly KubeCase[] = [
  {
    says: 'another spec is another generation, and a status sent with it is left aside',
    run: async (calls) => {
      const before = await create(calls);
      const sent = { ...before, spec: { ...before.spec, suspend: true }, status: { observedGeneration: 9 } };
      const { statusText, object } = await calls.replace(policies, 'a', sent);
      return { statusText, ...between(before, object), suspend: object.spec['suspend'], status: object.status };
    },
    gives: {
      statusText: '200',
      generation: 1,
      isNewVersion: true,
      isSameUid: true,
      suspend: true,
      status: pendingStatus,
    },
  },
  {
    says: 'the same again is a new version the first time, because the default status was not stored, and then no change',
    run: async (calls) => {
      const before = await create(calls);
      const first = (await calls.replace(policies, 'a', before)).object;
      return [between(before, first), between(first, (await calls.replace(policies, 'a', first)).object)];
    },
    gives: [
      { generation: 0, isNewVersion: true, isSameUid: true },
      { generation: 0, isNewVersion: false, isSameUid: true },
    ],
  },
  {
    says: 'labels and annotations make a new version, and not a new generation; those that are not sent are gone',
    run: async (calls) => {
      const before = await create(calls, {}, { labels: { a: '1', b: '2' } });
      const sent = withMetadata(before, { labels: { a: '3' }, annotations: { 'x.test/c': '4' } });
      const { object } = await calls.replace(policies, 'a', sent);
      return { ...between(before, object), labels: object.metadata['labels'] };
    },
    gives: { generation: 0, isNewVersion: true, isSameUid: true, labels: { a: '3' } },
  },
  {
    says: 'a stale version and a foreign uid are conflicts, and change nothing',
    run: async (calls) => {
      const first = await create(calls);
      const second = (await calls.replace(policies, 'a', { ...first, spec: { ...first.spec, suspend: true } })).object;
      const foreign = withMetadata(second, { uid: '00000000-0000-4000-8000-000000000000' });
      const answers = [await calls.replace(policies, 'a', first), await calls.replace(policies, 'a', foreign)];
      const isSame = (await calls.get(policies, 'a')).object.metadata.resourceVersion;
      return {
        statusText: answers.map(({ statusText }) => statusText),
        isSame: isSame === second.metadata.resourceVersion,
      };
    },
    gives: { statusText: ['409 Conflict', '409 Conflict'], isSame: true },
  },
  {
    says: 'a replacement says which version it replaces, and needs no uid',
    run: async (calls) => {
      const { metadata, ...rest } = await create(calls);
      const { name, resourceVersion } = metadata;
      const without = await calls.replace(policies, 'a', { ...rest, metadata: { name } });
      return [
        without.statusText,
        (await calls.replace(policies, 'a', { ...rest, metadata: { name, resourceVersion } })).statusText,
      ];
    },
    gives: ['422 Invalid', '200'],
  },
  {
    says: 'an object that is not there cannot be replaced or patched',
    run: async (calls) => {
      const sent = await create(calls);
      await calls.remove(policies, 'a');
      const answers = [
        await calls.replace(policies, 'a', sent),
        await calls.replaceStatus(policies, 'a', sent),
        await calls.merge(policies, 'a', { spec: { suspend: true } }),
      ];
      return answers.map(({ statusText }) => statusText);
    },
    gives: ['404 NotFound', '404 NotFound', '404 NotFound'],
  },
  {
    says: 'a merge patch changes what it names; null brings the default back',
    run: async (calls) => {
      const before = await create(calls, { suspend: true, interval: '10m' });
      const { statusText, object } = await calls.merge(policies, 'a', { spec: { mode: null, interval: null } });
      const { mode, interval, suspend } = object.spec;
      return { statusText, ...between(before, object), mode, interval, suspend };
    },
    gives: {
      statusText: '200',
      generation: 1,
      isNewVersion: true,
      isSameUid: true,
      mode: 'Enforce',
      interval: undefined,
      suspend: true,
    },
  },
  {
    says: 'a merge patch with a stale version is a conflict, and one with a foreign uid invalid',
    run: async (calls) => {
      const { resourceVersion } = (await create(calls)).metadata;
      await calls.merge(policies, 'a', { spec: { suspend: true } });
      const patches = [{ resourceVersion }, { uid: '00000000-0000-4000-8000-000000000000' }];
      const answers = patches.map((metadata) => calls.merge(policies, 'a', { metadata, spec: { suspend: false } }));
      return (await Promise.all(answers)).map(({ statusText }) => statusText);
    },
    gives: ['409 Conflict', '422 Invalid'],
  },
];
