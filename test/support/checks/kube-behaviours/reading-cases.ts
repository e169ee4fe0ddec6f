// Reads: single objects, whole lists, pages of lists, and selectors.
import { collectionPath } from '../../../../src/operator/kube/resource.ts';
import { type KubeCalls, type KubeCase, policies, policy, type SeenAnswer, type SeenObject } from './kube-case.ts';

interface TimedList {
  readonly kind?: string;
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly SeenObject[];
}

const listOf = ({ object }: SeenAnswer) => object as unknown as TimedList;
const namesOf = (answer: SeenAnswer) => listOf(answer).items.map(({ metadata }) => metadata.name);

async function createAll(calls: KubeCalls, names: readonly string[]): Promise<void> {
  for (const name of names) await calls.create(policies, policy(name));
}

export const readingCases: readonly KubeCase[] = [
  {
    says: 'a list has the kind, the order of names, and a version that is not older than anything in it',
    run: async (calls) => {
      await createAll(calls, ['b', 'a-b', 'a', 'c', 'a.b']);
      const answer = await calls.list(policies);
      const { kind, metadata, items } = listOf(answer);
      const isNewest = items.every((item) => BigInt(item.metadata.resourceVersion) <= BigInt(metadata.resourceVersion));
      return [answer.statusText, kind, namesOf(answer), isNewest];
    },
    gives: ['200', 'RoleAlertPolicyList', ['a', 'a-b', 'a.b', 'b', 'c'], true],
  },
  {
    says: 'a list without a namespace holds those of every namespace, in the order of namespaces and names',
    run: async (calls) => {
      const other = await calls.api.newNamespace();
      await createAll(calls, ['b', 'c']);
      await createAll(calls.in(other), ['a', 'd']);
      const { items } = listOf(await calls.send('list', collectionPath(policies, undefined)));
      const mine = items.filter(({ metadata }) => [calls.namespace, other].includes(String(metadata['namespace'])));
      const inOrder = calls.namespace < other ? 'bcad' : 'adbc';
      return mine.map(({ metadata }) => metadata.name).join('') === inOrder;
    },
    gives: true,
  },
  {
    says: 'pages of a list show it as it was at the first, and every object once',
    run: async (calls) => {
      await createAll(calls, ['a', 'b', 'c', 'd', 'e']);
      const first = await calls.list(policies, { limit: 2 });
      const { metadata } = listOf(first);
      await createAll(calls, ['f']);
      await calls.remove(policies, 'c');
      const second = await calls.list(policies, { limit: 2, continue: metadata.continue });
      const third = await calls.list(policies, { limit: 2, continue: listOf(second).metadata.continue });
      const pages = [first, second, third];
      return {
        names: pages.map(namesOf),
        left: pages.map((page) => listOf(page).metadata.remainingItemCount),
        hasMore: pages.map((page) => (listOf(page).metadata.continue ?? '') !== ''),
        isOneVersion: pages.every((page) => listOf(page).metadata.resourceVersion === metadata.resourceVersion),
      };
    },
    gives: {
      names: [['a', 'b'], ['c', 'd'], ['e']],
      left: [3, 1, undefined],
      hasMore: [true, true, false],
      isOneVersion: true,
    },
  },
  {
    says: 'labels select in lists',
    run: async (calls) => {
      for (const [name, labels] of Object.entries({ a: { team: 'x' }, b: { team: 'y', tier: '1' }, c: {} })) {
        await calls.create(policies, policy(name, {}, { labels }));
      }
      const selectors = ['team=x', 'team!=x', 'team', '!team', 'team in (x,y),tier', 'team notin (y)', 'team==y'];
      return Promise.all(
        selectors.map(async (labelSelector) => namesOf(await calls.list(policies, { labelSelector })).join('')),
      );
    },
    gives: ['a', 'bc', 'ab', 'c', 'b', 'ac', 'b'],
  },
];
