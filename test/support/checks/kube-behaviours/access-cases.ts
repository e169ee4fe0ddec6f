// Rejected callers, and unknown paths.
import { type KubeCalls, type KubeCase, policies, policy } from './kube-case.ts';

/** One request of each kind. */
async function tryAll(calls: KubeCalls): Promise<readonly string[]> {
  const answers = [
    await calls.get(policies, 'a'),
    await calls.list(policies),
    await calls.create(policies, policy('b')),
    await calls.replace(policies, 'a', policy('a')),
    await calls.replaceStatus(policies, 'a', policy('a')),
    await calls.merge(policies, 'a', { spec: { suspend: true } }),
    await calls.remove(policies, 'a'),
  ];
  return answers.map(({ statusText }) => statusText);
}

export const accessCases: readonly KubeCase[] = [
  {
    says: 'an unknown token is rejected everywhere',
    run: async (calls) => {
      await calls.create(policies, policy('a'));
      return tryAll(calls.as(calls.api.stranger));
    },
    gives: Array(7).fill('401 Unauthorized'),
  },
  {
    says: 'who may do nothing is refused everywhere, whether the object is there or not',
    run: async (calls) => {
      const unprivileged = calls.as(calls.api.unprivileged);
      const without = await tryAll(unprivileged);
      await calls.create(policies, policy('a'));
      const after = await calls.get(policies, 'a');
      return [without, await tryAll(unprivileged), after.statusText];
    },
    gives: [Array(7).fill('403 Forbidden'), Array(7).fill('403 Forbidden'), '200'],
  },
  {
    says: 'a resource that is not served is not found, in plain text',
    run: async (calls) => {
      const paths = [
        `/apis/rolealerts.dev/v1alpha1/namespaces/${calls.namespace}/unknowns`,
        `/apis/rolealerts.dev/v1alpha1/namespaces/${calls.namespace}/unknowns/a`,
        `/apis/unknown.dev/v1/namespaces/${calls.namespace}/rolealertpolicies`,
        `/apis/rolealerts.dev/v9/namespaces/${calls.namespace}/rolealertpolicies`,
      ];
      const answers = await Promise.all(paths.map((path) => calls.send('get', path)));
      return answers.map(({ statusText, body }) => [statusText, body.trim()]);
    },
    gives: [
      ['404', '404 page not found'],
      ['404', '404 page not found'],
      ['404', '404 page not found'],
      ['404', '404 page not found'],
    ],
  },
];
