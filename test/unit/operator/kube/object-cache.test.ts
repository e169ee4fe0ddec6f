// What a cache of objects holds and emits, and the form in which it keeps an object.
import { beforeEach, describe, expect, it } from 'vitest';

import { TextPool } from '../../../../src/lib/text-pool.ts';
import {
  createObjectCache,
  keptObject,
  type ObjectCache,
  type ObjectEvent,
} from '../../../../src/operator/kube/object-cache.ts';
import type { KubeObject } from '../../../../src/operator/kube/resource.ts';

interface Thing extends KubeObject {
  readonly text: string;
}

let events: ObjectEvent<Thing>[];
let cache: ObjectCache<Thing>;

beforeEach(() => {
  events = [];
  cache = createObjectCache<Thing>((event) => events.push(event));
});

function thing(resourceVersion: string, uid = 'u', name = 'a'): Thing {
  return { metadata: { name, uid, resourceVersion }, text: resourceVersion };
}

const eventLog = () =>
  events.map(({ type, object }) => `${type} ${object.metadata.uid}@${object.metadata.resourceVersion}`);

function list(...things: Thing[]): void {
  cache.startList();
  for (const each of things) cache.put(each);
  cache.finishList();
}

describe('a cache of objects', () => {
  it('distinguishes initial additions from later ones', () => {
    list(thing('1'));
    cache.put(thing('2', 'v', 'b'));
    expect(events.map(({ isInitial }) => isInitial)).toEqual([true, false]);
  });

  it('ignores the deletion of an unknown object', () => {
    cache.delete(thing('5'));
    expect(events).toEqual([]);
  });

  it('deletes an older object on the deletion of its successor', () => {
    list(thing('5', 'u'));
    cache.delete(thing('9', 'v'));
    expect(eventLog()).toEqual(['added u@5', 'deleted u@5']);
  });

  it('accepts a list even when its version is lower: the server’s data was restored', () => {
    list(thing('100'));
    list(thing('7'));
    expect(cache.objects.get('a')?.text).toBe('7');
  });
});

describe('remembering an own write', () => {
  it('emits no event when the watch delivers it, or an earlier state', () => {
    list(thing('1'));
    cache.remember(thing('3'));
    cache.put(thing('2'));
    cache.put(thing('3'));
    expect([cache.objects.get('a')?.text, eventLog()]).toEqual(['3', ['added u@1']]);
  });

  it('shows at once what others changed before it, with an event that no state of the watch repeats or takes back', () => {
    const withMetadata = (resourceVersion: string, metadata: object): Thing => {
      const plain = thing(resourceVersion);
      return { ...plain, metadata: { ...plain.metadata, ...metadata } };
    };
    const changes = [
      { generation: 2 },
      { annotations: { requested: 'now' } },
      { deletionTimestamp: 'then' },
      { labels: {} },
    ];
    for (const change of changes) {
      list(thing('1'));
      const count = events.length;
      cache.remember(withMetadata('3', change));
      expect(events.at(-1)).toMatchObject({ type: 'changed', object: { metadata: change }, previous: { text: '1' } });
      cache.put(withMetadata('2', change));
      cache.put(withMetadata('3', change));
      expect([cache.objects.get('a')?.text, events.length]).toEqual(['3', count + 1]);
      cache.delete(thing('4'));
    }
  });
});

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

it('a cache keeps everything but metadata that the operator does not use, and leaves the original as it is', () => {
  const original = structuredClone(object);
  expect(keptObject(object, undefined, new TextPool())).toEqual({
    metadata: { name: 'a', uid: 'u', resourceVersion: '5', annotations: { keep: 'this' }, labels: { team: 'a' } },
    spec: object.spec,
  });
  expect(object).toEqual(original);
});

it('a cache keeps an object frozen, and its metadata too', () => {
  const kept = keptObject(object, undefined, new TextPool());
  expect([Object.isFrozen(kept), Object.isFrozen(kept.metadata)]).toEqual([true, true]);
});

it('a cache shares the spec with the previous object when only the status was written', () => {
  const texts = new TextPool();
  const previous = keptObject(object, undefined, texts);
  const written = { ...previous, metadata: { ...previous.metadata, resourceVersion: '6' } };
  expect(keptObject(written, previous, texts).spec).toBe(previous.spec);
});
