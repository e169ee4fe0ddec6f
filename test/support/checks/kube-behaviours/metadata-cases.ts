// Lists and watches of metadata alone, as the operator asks for namespaces: what arrives has no spec, no status and no data.
import {
  type KubeCalls,
  type KubeCase,
  policies,
  policy,
  secrets,
  type SeenAnswer,
  type SeenObject,
} from './kube-case.ts';

interface TimedList {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly SeenObject[];
}

const listOf = ({ object }: SeenAnswer) => object as unknown as TimedList;
const create = async (calls: KubeCalls, name: string, labels?: object): Promise<SeenObject> =>
  (await calls.create(policies, policy(name, {}, { labels }))).object;
const versionOf = async (calls: KubeCalls): Promise<string> =>
  listOf(await calls.listMetadata(policies)).metadata.resourceVersion;

/** What a piece of metadata says it is, and its members besides the metadata. */
function shapeOf(object: object): readonly unknown[] {
  const { apiVersion, kind, metadata: _, ...rest } = object as SeenObject;
  return [apiVersion, kind, Object.keys(rest)];
}

const piece = ['meta.k8s.io/v1', 'PartialObjectMetadata', []];

export const metadataCases: readonly KubeCase[] = [
  {
    says: 'a list holds metadata of our own resources and of those of Kubernetes, and nothing else of them',
    run: async (calls) => {
      await create(calls, 'a', { team: 'x' });
      await calls.create(secrets, { metadata: { name: 's' }, data: { key: 'dmFsdWU=' } });
      const lists = [await calls.listMetadata(policies), await calls.listMetadata(secrets)].map(listOf);
      return lists.map(({ apiVersion, kind, items }) => ({
        is: [apiVersion, kind],
        items: items.map((item) => [item.metadata.name, item.metadata['labels'], ...shapeOf(item)]),
      }));
    },
    gives: [
      {
        is: ['meta.k8s.io/v1', 'PartialObjectMetadataList'],
        items: [['a', { team: 'x' }, ...piece]],
      },
      {
        is: ['meta.k8s.io/v1', 'PartialObjectMetadataList'],
        items: [['s', undefined, ...piece]],
      },
    ],
  },
  {
    says: 'the metadata in a list and in a read is that of the object',
    run: async (calls) => {
      const { metadata } = await create(calls, 'a', { team: 'x' });
      const [item] = listOf(await calls.listMetadata(policies)).items;
      const { object } = await calls.getMetadata(policies, 'a');
      const members = ['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'namespace'];
      const differ = (shown: SeenObject | undefined) =>
        members.filter((member) => shown?.metadata[member] !== metadata[member]);
      return [differ(item), differ(object), shapeOf(object)];
    },
    gives: [[], [], piece],
  },
  {
    says: 'a watch delivers metadata for every change, that of the spec and the status included',
    run: async (calls) => {
      const watch = await calls.watch(policies, { resourceVersion: await versionOf(calls) }, 'metadata');
      const a = await create(calls, 'a');
      await calls.merge(policies, 'a', { metadata: { labels: { team: 'x' } } });
      await calls.merge(policies, 'a', { spec: { suspend: true } });
      await calls.merge(policies, 'a', { status: { observedGeneration: 1 } }, 'status');
      await calls.remove(policies, 'a');
      const seen = await watch.next(5);
      watch.close();
      return {
        events: seen.map(({ type, object: { metadata } }) => [type, metadata.generation, metadata.labels]),
        isOne: seen.every(({ object }) => object.metadata.uid === a.metadata.uid),
        shapes: seen.map(({ object }) => shapeOf(object)),
      };
    },
    gives: {
      events: [
        ['ADDED', 1, undefined],
        ['MODIFIED', 1, { team: 'x' }],
        ['MODIFIED', 2, { team: 'x' }],
        ['MODIFIED', 2, { team: 'x' }],
        ['DELETED', 2, { team: 'x' }],
      ],
      isOne: true,
      shapes: Array.from({ length: 5 }, () => piece),
    },
  },
  {
    says: 'a bookmark is a piece of metadata, too',
    run: async (calls) => {
      const other = calls.in(await calls.api.newNamespace());
      const query = { resourceVersion: await versionOf(calls), timeoutSeconds: 3, allowWatchBookmarks: true };
      const watch = await calls.watch(policies, query, 'metadata');
      await create(other, 'x');
      const seen = await watch.rest();
      return [...new Set(seen.map(({ type, object }) => `${type} ${object.apiVersion} ${object.kind}`))];
    },
    gives: ['BOOKMARK meta.k8s.io/v1 PartialObjectMetadata'],
  },
  {
    says: 'a watch from a compacted version ends with a whole Status',
    run: async (calls) => {
      const seen = await (await calls.watch(policies, { resourceVersion: '1' }, 'metadata')).rest();
      return seen.map(({ type, object }) => [type, object.kind, object.code, object.reason]);
    },
    gives: [['ERROR', 'Status', 410, 'Expired']],
  },
];
