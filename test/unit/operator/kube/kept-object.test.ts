// The form in which a cache keeps an object.
import { expect, it } from 'vitest';

import { TextPool } from '../../../../src/lib/text-pool.ts';
import { keptObject, usedMetadata } from '../../../../src/operator/kube/object-cache.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

const object = {
  metadata: {
    name: 'a',
    uid: 'u',
    resourceVersion: '5',
    managedFields: [{ manager: 'kubectl' }],
    annotations: { [lastApplied]: '{}', keep: 'this' },
    labels: { team: 'a' },
  },
  spec: { scope: 'subscriptions/a' },
};

it('keeps everything but metadata that the operator does not use, and leaves the original as it is', () => {
  const original = structuredClone(object);
  expect(keptObject(object, undefined, new TextPool())).toEqual({
    metadata: { name: 'a', uid: 'u', resourceVersion: '5', annotations: { keep: 'this' }, labels: { team: 'a' } },
    spec: object.spec,
  });
  expect(object).toEqual(original);
});

it('keeps an object frozen, and its metadata too', () => {
  const kept = keptObject(object, undefined, new TextPool());
  expect([Object.isFrozen(kept), Object.isFrozen(kept.metadata)]).toEqual([true, true]);
});

it('keeps metadata without annotations as it is', () => {
  const metadata = { name: 'a', uid: 'u', resourceVersion: '5' };
  expect(usedMetadata({ metadata })).toEqual(metadata);
});

it('shares the spec with the previous object when only the status was written', () => {
  const texts = new TextPool();
  const previous = keptObject(object, undefined, texts);
  const written = { ...previous, metadata: { ...previous.metadata, resourceVersion: '6' } };
  expect(keptObject(written, previous, texts).spec).toBe(previous.spec);
});
