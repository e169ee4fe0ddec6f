// Tokens of ServiceAccounts (TokenRequest), and the issuer of the cluster.
import { objectPath } from '../../../../src/operator/kube/resource.ts';
import { audiencesOf } from '../../../../src/operator/kube/service-accounts.ts';
import { type KubeCalls, type KubeCase, serviceAccounts } from './kube-case.ts';

const request = (spec: object, metadata: object = {}) => ({
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenRequest',
  metadata,
  spec: { expirationSeconds: 600, ...spec },
});

const ask = (calls: KubeCalls, body: object, name = 'a') =>
  calls.send('create', objectPath(serviceAccounts, calls.namespace, name, 'token'), body);

const account = { metadata: { name: 'a' } };

export const tokenCases: readonly KubeCase[] = [
  {
    says: 'a TokenRequest gives a token for exactly the audience, and says how long it lives',
    run: async (calls) => {
      await calls.create(serviceAccounts, account);
      const { statusText, object } = await ask(calls, request({ audiences: ['api://alerts'] }));
      const { audiences, expirationSeconds } = object.spec;
      return [statusText, audiences, expirationSeconds, audiencesOf(String(object.status?.['token']))];
    },
    gives: ['201', ['api://alerts'], 600, ['api://alerts']],
  },
  {
    says: 'a TokenRequest for a ServiceAccount that does not exist is refused, and so is one for a short life',
    run: async (calls) => {
      await calls.create(serviceAccounts, account);
      const answers = [
        await ask(calls, request({ audiences: ['b'] }), 'absent'),
        await ask(calls, request({ audiences: ['b'], expirationSeconds: 599 })),
      ];
      return answers.map(({ statusText }) => statusText);
    },
    gives: ['404 NotFound', '422 Invalid'],
  },
  {
    says: 'a TokenRequest with the uid of another ServiceAccount is a conflict',
    run: async (calls) => {
      const { object } = await calls.create(serviceAccounts, account);
      const own = await ask(calls, request({ audiences: ['b'] }, { uid: object.metadata.uid }));
      await calls.remove(serviceAccounts, 'a');
      await calls.create(serviceAccounts, account);
      const late = await ask(calls, request({ audiences: ['b'] }, { uid: object.metadata.uid }));
      return [own.statusText, late.statusText];
    },
    gives: ['201', '409 Conflict'],
  },
  {
    says: 'a client that may do nothing else gets no token, and a stranger not even the issuer',
    run: async (calls) => {
      await calls.create(serviceAccounts, account);
      const token = await ask(calls.as(calls.api.unprivileged), request({ audiences: ['b'] }));
      const issuer = await calls.as(calls.api.stranger).send('get', '/.well-known/openid-configuration');
      return [token.statusText, issuer.statusText];
    },
    gives: ['403 Forbidden', '401 Unauthorized'],
  },
  {
    says: 'every ServiceAccount may read the issuer',
    run: async (calls) => {
      const { statusText, body } = await calls
        .as(calls.api.unprivileged)
        .send('get', '/.well-known/openid-configuration');
      return [statusText, typeof (JSON.parse(body) as { issuer?: unknown }).issuer];
    },
    gives: ['200', 'string'],
  },
];
