// The status subresource: only the status can be written there, and only there.
import { objectPath } from '../../../../src/operator/kube/resource.ts';
import { pendingStatus } from '../../../../src/policy/resources.ts';
import { inSyncRow } from '../../builders/objects.ts';
import {
  connection,
  connections,
  type KubeCalls,
  type KubeCase,
  policies,
  policy,
  type SeenObject,
} from './kube-case.ts';

const create = async (calls: KubeCalls): Promise<SeenObject> => (await calls.create(policies, policy('a'))).object;

const condition = (type: string, status = 'True') => ({
  type,
  status,
  observedGeneration: 1,
  lastTransitionTime: '2026-01-01T00:00:00Z',
  reason: 'Succeeded',
  message: 'Done.',
});

export const statusCases: readonly KubeCase[] = [
  {
    says: 'the status is replaced as a whole, and nothing else with it',
    run: async (calls) => {
      const before = await create(calls);
      const first = await calls.replaceStatus(policies, 'a', {
        ...before,
        status: { observedGeneration: 1, conditions: [condition('Ready'), condition('InSync')] },
      });
      const second = await calls.replaceStatus(policies, 'a', {
        ...first.object,
        metadata: { ...first.object.metadata, labels: { a: '1' } },
        spec: { ...before.spec, suspend: true },
        status: { observedGeneration: 2 },
      });
      const { metadata, spec, status } = second.object;
      return [second.statusText, metadata['generation'], metadata['labels'], spec['suspend'], status];
    },
    gives: ['200', 1, undefined, false, { ...pendingStatus, observedGeneration: 2 }],
  },
  {
    says: 'a write answers with the metadata of the stored object alone, if the client asks for it',
    run: async (calls) => {
      const before = await create(calls);
      const path = objectPath(policies, calls.namespace, 'a', 'status');
      const sent = { ...before, status: { observedGeneration: 1 } };
      const { statusText, object } = await calls.writeForMetadata({ verb: 'update', path }, sent);
      const after = (await calls.get(policies, 'a')).object;
      const stale = await calls.writeForMetadata({ verb: 'update', path }, sent);
      const { name, uid, generation, resourceVersion } = object.metadata;
      return {
        statusText,
        members: Object.keys(object).toSorted(),
        isStored: resourceVersion === after.metadata.resourceVersion && uid === before.metadata.uid,
        name,
        generation,
        stale: stale.statusText,
      };
    },
    gives: {
      statusText: '200',
      members: ['apiVersion', 'kind', 'metadata'],
      isStored: true,
      name: 'a',
      generation: 1,
      stale: '409 Conflict',
    },
  },
  {
    says: 'a status written without a spec leaves the spec as it is',
    run: async (calls) => {
      const { spec, metadata, apiVersion, kind } = await create(calls);
      const { name, namespace, uid, resourceVersion } = metadata;
      const sent = {
        apiVersion,
        kind,
        metadata: { name, namespace, uid, resourceVersion },
        status: { observedGeneration: 1 },
      };
      const { statusText, object } = await calls.replaceStatus(policies, 'a', sent);
      return { statusText, isSame: JSON.stringify(object.spec) === JSON.stringify(spec), status: object.status };
    },
    gives: { statusText: '200', isSame: true, status: { ...pendingStatus, observedGeneration: 1 } },
  },
  {
    says: 'a status that is taken away comes back as its default',
    run: async (calls) => {
      const before = await create(calls);
      const { status: _, ...bare } = (
        await calls.replaceStatus(policies, 'a', { ...before, status: { observedGeneration: 1 } })
      ).object;
      const wiped = (await calls.replaceStatus(policies, 'a', bare)).object;
      const emptied = (await calls.replaceStatus(policies, 'a', { ...wiped, status: {} })).object;
      const patched = (await calls.merge(policies, 'a', { status: null }, 'status')).object;
      return [wiped.status, emptied.status, patched.status];
    },
    gives: [pendingStatus, pendingStatus, pendingStatus],
  },
  {
    says: 'a stale version and a foreign uid are conflicts',
    run: async (calls) => {
      const first = await create(calls);
      const second = (await calls.replaceStatus(policies, 'a', { ...first, status: { observedGeneration: 1 } })).object;
      const status = { observedGeneration: 2 };
      const uid = '00000000-0000-4000-8000-000000000000';
      const stale = await calls.replaceStatus(policies, 'a', { ...first, status });
      const foreign = { ...second, metadata: { ...second.metadata, uid }, status };
      return [stale.statusText, (await calls.replaceStatus(policies, 'a', foreign)).statusText];
    },
    gives: ['409 Conflict', '409 Conflict'],
  },
  {
    says: 'an invalid status is refused, and an unknown member of it dropped',
    run: async (calls) => {
      const before = await create(calls);
      const broken = { observedGeneration: 1, conditions: [condition('Ready', 'Perhaps')] };
      const refused = await calls.replaceStatus(policies, 'a', { ...before, status: broken });
      const strange = await calls.replaceStatus(policies, 'a', { ...before, status: { observedGeneration: 1, x: 2 } });
      return [refused.statusText, strange.statusText, strange.object.status];
    },
    gives: ['422 Invalid', '200', { ...pendingStatus, observedGeneration: 1 }],
  },
  {
    says: 'two conditions of one type are refused, and so is a patch that makes two rows of one alert',
    run: async (calls) => {
      const before = await create(calls);
      const twice = { observedGeneration: 1, conditions: [condition('Ready'), condition('Ready', 'False')] };
      const replaced = await calls.replaceStatus(policies, 'a', { ...before, status: twice });
      const alerts = [inSyncRow('A'), inSyncRow('B'), inSyncRow('A')];
      const patched = await calls.merge(policies, 'a', { status: { alerts } }, 'status');
      return [replaced.statusText, patched.statusText, (await calls.get(policies, 'a')).object.status];
    },
    gives: ['422 Invalid', '422 Invalid', pendingStatus],
  },
  {
    says: 'a merge patch reaches the status by its own path only, and nothing else there',
    run: async (calls) => {
      await create(calls);
      const patch = { spec: { suspend: true }, status: { observedGeneration: 3 } };
      const own = (await calls.merge(policies, 'a', patch, 'status')).object;
      const main = (await calls.merge(policies, 'a', { status: { observedGeneration: 4 } })).object;
      return [own.spec['suspend'], own.status, main.status];
    },
    gives: [false, { ...pendingStatus, observedGeneration: 3 }, { ...pendingStatus, observedGeneration: 3 }],
  },
  {
    says: 'what the status says can keep a member of the spec from changing, by either path of writing and by none of the others',
    run: async (calls) => {
      await calls.create(connections, connection('a'));
      const dismissals = [{ scope: 's', alert: 'A', policy: 'n/p', since: '2026-01-01T00:00:00Z' }];
      const register = (list: object[]) => calls.merge(connections, 'a', { status: { dismissals: list } }, 'status');
      const move = { spec: { endpoint: { baseURL: 'https://b.example.net' } } };
      const before = (await register(dismissals)).object;
      const statusText = [
        await calls.merge(connections, 'a', move),
        await calls.replace(connections, 'a', { ...before, spec: { ...before.spec, ...move.spec } }),
        await calls.merge(connections, 'a', { ...move, status: { dismissals: [] } }),
        await calls.merge(connections, 'a', { spec: { deactivation: 'Deny' } }),
        await register([]),
        await calls.merge(connections, 'a', move),
      ];
      return statusText.map((answer) => answer.statusText);
    },
    gives: ['422 Invalid', '422 Invalid', '422 Invalid', '200', '200', '200'],
  },
];
