// How objects are deleted: at once, or marked first and gone once no finalizer is left; and whole namespaces.
import {
  configMaps,
  type KubeCalls,
  type KubeCase,
  leases,
  policies,
  policy,
  secrets,
  type SeenObject,
} from './kube-case.ts';

const create = async (calls: KubeCalls, metadata: object = {}): Promise<SeenObject> =>
  (await calls.create(policies, policy('a', {}, metadata))).object;

const held = { finalizers: ['x.test/hold'] };
const namespacePath = (name: string) => `/api/v1/namespaces/${name}`;

export const deletionCases: readonly KubeCase[] = [
  {
    says: 'an object without finalizers is gone at once',
    run: async (calls) => {
      await create(calls);
      const answers = [
        await calls.remove(policies, 'a'),
        await calls.get(policies, 'a'),
        await calls.remove(policies, 'a'),
      ];
      return answers.map(({ statusText }) => statusText);
    },
    gives: ['200', '404 NotFound', '404 NotFound'],
  },
  {
    says: 'what has a finalizer is marked, once, and stays until the finalizer is taken away',
    run: async (calls) => {
      await create(calls, held);
      const first = await calls.remove(policies, 'a');
      const marked = (await calls.get(policies, 'a')).object;
      const second = await calls.remove(policies, 'a');
      const again = (await calls.get(policies, 'a')).object;
      const last = await calls.merge(policies, 'a', { metadata: { finalizers: null } });
      const { deletionTimestamp, generation } = marked.metadata;
      return {
        statusText: [first.statusText, second.statusText, last.statusText, (await calls.get(policies, 'a')).statusText],
        isMarked: typeof deletionTimestamp === 'string',
        generation,
        isMarkedOnce: again.metadata.resourceVersion === marked.metadata.resourceVersion,
      };
    },
    gives: { statusText: ['200', '200', '200', '404 NotFound'], isMarked: true, generation: 2, isMarkedOnce: true },
  },
  {
    says: 'what is marked can still be changed, and gets no new finalizer',
    run: async (calls) => {
      await create(calls, held);
      await calls.remove(policies, 'a');
      const { object } = await calls.get(policies, 'a');
      const more = { metadata: { finalizers: [...held.finalizers, 'x.test/more'] } };
      const answers = [
        await calls.merge(policies, 'a', { spec: { suspend: true } }),
        await calls.merge(policies, 'a', more),
        await calls.merge(policies, 'a', { metadata: { deletionTimestamp: null } }),
        await calls.create(policies, policy('a')),
        await calls.replaceStatus(policies, 'a', {
          ...object,
          metadata: {
            ...object.metadata,
            resourceVersion: (await calls.get(policies, 'a')).object.metadata.resourceVersion,
          },
          status: { observedGeneration: 1 },
        }),
      ];
      const after = (await calls.get(policies, 'a')).object;
      return {
        statusText: answers.map(({ statusText }) => statusText),
        isMarked: 'deletionTimestamp' in after.metadata,
      };
    },
    gives: { statusText: ['200', '422 Invalid', '200', '409 AlreadyExists', '200'], isMarked: true },
  },
  {
    says: 'a deletion of another uid or version is a conflict',
    run: async (calls) => {
      const { uid, resourceVersion } = (await create(calls)).metadata;
      await calls.merge(policies, 'a', { spec: { suspend: true } });
      const answers = [
        await calls.remove(policies, 'a', { uid: '00000000-0000-4000-8000-000000000000' }),
        await calls.remove(policies, 'a', { resourceVersion }),
        await calls.remove(policies, 'a', { uid }),
      ];
      return answers.map(({ statusText }) => statusText);
    },
    gives: ['409 Conflict', '409 Conflict', '200'],
  },
  {
    says: 'a namespace that is deleted takes everything with it, takes nothing more in, and is gone in the end',
    run: async (calls) => {
      const { namespace, api } = calls;
      await create(calls, held);
      await calls.create(secrets, { metadata: { name: 'a' }, data: { token: 'eA==' } });
      await calls.create(configMaps, { metadata: { name: 'a' }, data: { token: 'x' } });
      await calls.create(leases, { metadata: { name: 'a' }, spec: {} });
      const deleted = await calls.send('delete', namespacePath(namespace));
      const marked = await calls.send('get', namespacePath(namespace));
      const refused = await calls.create(policies, policy('b'));
      const causes = (refused.object as { details?: { causes?: { reason: string }[] } }).details?.causes;
      const gone = async (...found: ReturnType<typeof calls.get>[]) =>
        (await Promise.all(found)).every(({ status }) => status === 404);
      await api.until(() => gone(calls.get(secrets, 'a'), calls.get(configMaps, 'a'), calls.get(leases, 'a')));
      await api.until(async () => 'deletionTimestamp' in (await calls.get(policies, 'a')).object.metadata);
      const last = await calls.merge(policies, 'a', { metadata: { finalizers: null } });
      await api.until(() => gone(calls.send('get', namespacePath(namespace))));
      // Admission reads namespaces from a cache, so the API server may answer 403 for a moment longer.
      let late = await calls.create(policies, policy('b'));
      await api.until(async () => {
        if (late.status === 403) late = await calls.create(policies, policy('b'));
        return late.status !== 403;
      });
      return {
        statusText: [deleted.statusText, refused.statusText, last.statusText, late.statusText],
        isMarked: 'deletionTimestamp' in marked.object.metadata,
        causes: causes?.map(({ reason }) => reason),
      };
    },
    gives: {
      statusText: ['200', '403 Forbidden', '200', '404 NotFound'],
      isMarked: true,
      causes: ['NamespaceTerminating'],
    },
  },
];
