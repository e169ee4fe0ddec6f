// Server-side apply, as `kubectl apply --server-side` and GitOps tools use it on a whole object.
import { pendingStatus } from '../../../../src/policy/resources.ts';
import { type KubeCase, policies, policy } from './kube-case.ts';

const gitops = { fieldManager: 'gitops' };

export const applyCases: readonly KubeCase[] = [
  {
    says: 'applying makes the object, changes it, and does nothing when it is as it should be',
    run: async (calls) => {
      const first = await calls.apply(policies, 'a', policy('a'), gitops);
      const second = await calls.apply(policies, 'a', policy('a', { suspend: true }), gitops);
      const third = await calls.apply(policies, 'a', policy('a', { suspend: true }), gitops);
      const answers = [first, second, third];
      return {
        statusText: answers.map(({ statusText }) => statusText),
        generations: answers.map(({ object }) => object.metadata['generation']),
        isSame: second.object.metadata.resourceVersion === third.object.metadata.resourceVersion,
      };
    },
    gives: { statusText: ['201', '200', '200'], generations: [1, 2, 2], isSame: true },
  },
  {
    says: 'what is no longer applied is gone, or back at its default',
    run: async (calls) => {
      const labels = { team: 'x' };
      await calls.apply(policies, 'a', policy('a', { interval: '10m', suspend: true }, { labels }), gitops);
      const { object } = await calls.apply(policies, 'a', policy('a'), gitops);
      return [object.spec['interval'], object.spec['suspend'], object.metadata['labels']];
    },
    gives: [undefined, false, undefined],
  },
  {
    says: 'what others wrote is left alone',
    run: async (calls) => {
      await calls.apply(policies, 'a', policy('a'), gitops);
      const { object } = await calls.merge(policies, 'a', {
        metadata: { annotations: { 'rolealerts.dev/requestedAt': '1' } },
        spec: { interval: '10m' },
      });
      await calls.replaceStatus(policies, 'a', { ...object, status: { observedGeneration: 1 } });
      const after = (await calls.apply(policies, 'a', policy('a', { suspend: true }), gitops)).object;
      const { annotations } = after.metadata;
      return [annotations, after.spec['interval'], after.spec['suspend'], after.status];
    },
    gives: [{ 'rolealerts.dev/requestedAt': '1' }, '10m', true, { ...pendingStatus, observedGeneration: 1 }],
  },
  {
    says: 'another manager that applies another value is refused, unless by force',
    run: async (calls) => {
      await calls.apply(policies, 'a', policy('a', { suspend: true }), gitops);
      const other = policy('a', { suspend: false });
      const refused = await calls.apply(policies, 'a', other, { fieldManager: 'other' });
      const forced = await calls.apply(policies, 'a', other, { fieldManager: 'other', force: true });
      return [refused.statusText, forced.statusText, forced.object.spec['suspend']];
    },
    gives: ['409 Conflict', '200', false],
  },
  {
    says: 'an invalid object is not applied, nor one without the name of a manager',
    run: async (calls) => {
      const invalid = await calls.apply(policies, 'a', policy('a', { mode: 'Perhaps' }), gitops);
      const nameless = await calls.apply(policies, 'a', policy('a'), {});
      return [
        invalid.statusText,
        nameless.status >= 400 && nameless.status < 500,
        (await calls.get(policies, 'a')).statusText,
      ];
    },
    gives: ['422 Invalid', true, '404 NotFound'],
  },
];
