// The creation of objects.
import { pendingStatus } from '../../../../src/policy/resources.ts';
import { type KubeCase, policies, policy } from './kube-case.ts';

export const creationCases: readonly KubeCase[] = [
  {
    says: 'a new object has generation 1, a uid, the defaults of its schema and the default status',
    run: async (calls) => {
      const { statusText, object } = await calls.create(policies, policy('a', { mode: undefined }));
      const { generation, uid, resourceVersion, creationTimestamp, namespace } = object.metadata;
      const { connectionRef, mode, suspend, incidents } = object.spec;
      const facts = { statusText, generation, connectionRef, mode, suspend, incidents, status: object.status };
      const isWhole =
        /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uid) &&
        /^[1-9][0-9]*$/.test(resourceVersion) &&
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(String(creationTimestamp)) &&
        namespace === calls.namespace;
      return { ...facts, isWhole };
    },
    gives: {
      statusText: '201',
      generation: 1,
      connectionRef: { kind: 'RoleAlertConnection', name: 'prod' },
      mode: 'Enforce',
      suspend: false,
      incidents: { limit: 5 },
      status: pendingStatus,
      isWhole: true,
    },
  },
  {
    says: 'members that the schema does not know are dropped, and null is taken for absent where there is a default',
    run: async (calls) => {
      const { statusText, object } = await calls.create(policies, policy('a', { stranger: 1, mode: null }));
      return { statusText, stranger: object.spec['stranger'], mode: object.spec['mode'] };
    },
    gives: { statusText: '201', stranger: undefined, mode: 'Enforce' },
  },
  {
    says: 'a second object of the same name is refused, also with another body',
    run: async (calls) => {
      await calls.create(policies, policy('a'));
      return (await calls.create(policies, policy('a', { suspend: true }))).statusText;
    },
    gives: '409 AlreadyExists',
  },
  {
    says: 'a broken schema, a broken rule and a missing spec are refused as invalid',
    run: async (calls) => {
      const { spec: _, ...bare } = policy('a') as { spec?: object };
      const sent = [
        policy('a', { mode: 'Perhaps' }),
        policy('a', { interval: '1s' }),
        policy('a', { scope: '/a' }),
        policy('a', { suspend: 'yes' }),
        bare,
      ];
      return Promise.all(sent.map(async (object) => (await calls.create(policies, object)).statusText));
    },
    gives: Array(5).fill('422 Invalid'),
  },
];
