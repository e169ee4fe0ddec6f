// What a cache of objects holds and emits, and the form in which it keeps an object.
import { beforeEach, describe, expect, it } from 'vitest';

import { TextPool } from '../../../../src/lib/text-pool.ts';
import {
  createObjectCache,
  keptObject,
  type ObjectCache,
  type ObjectEvent,
  usedMetadata,
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

  it('emits no event for the same version, in a list or a watch', () => {
    list(thing('1'));
    cache.put(thing('1'));
    list(thing('1'));
    expect(eventLog()).toEqual(['added u@1']);
  });

  it('deletes objects that a later list does not contain, with the last known state', () => {
    list(thing('1'), thing('1', 'v', 'b'));
    list(thing('1', 'v', 'b'));
    expect(eventLog()).toEqual(['added u@1', 'added v@1', 'deleted u@1']);
  });

  it('accepts a list even when its version is lower: the server’s data was restored', () => {
    list(thing('100'));
    list(thing('7'));
    expect(cache.objects.get('a')?.text).toBe('7');
  });

  it('shows another uid under one name as deleted and added', () => {
    list(thing('1'));
    cache.put(thing('5', 'v'));
    expect(eventLog()).toEqual(['added u@1', 'deleted u@1', 'added v@5']);
  });

  it('does not delete a newer object for the late deletion of an older one', () => {
    list(thing('9', 'v'));
    cache.delete(thing('5', 'u'));
    expect(cache.objects.get('a')?.metadata.uid).toBe('v');
  });

  it('deletes an older object on the deletion of its successor', () => {
    list(thing('5', 'u'));
    cache.delete(thing('9', 'v'));
    expect(eventLog()).toEqual(['added u@5', 'deleted u@5']);
  });

  it('ignores the deletion of an unknown object', () => {
    cache.delete(thing('5'));
    expect(events).toEqual([]);
  });
});

describe('confirming a version', () => {
  it('is true for exactly the cached version', () => {
    list(thing('3'));
    const others = [thing('4'), thing('2'), thing('3', 'v'), thing('3', 'u', 'b')];
    expect([thing('3'), ...others].map((object) => cache.confirm(object))).toEqual([true, ...others.map(() => false)]);
  });

  it('counts the object as listed', () => {
    list(thing('3'), thing('3', 'v', 'b'));
    cache.startList();
    cache.confirm(thing('3'));
    cache.finishList();
    expect([...cache.objects.keys()]).toEqual(['a']);
  });

  const withStatus = (resourceVersion: string, total: number) => ({ ...thing(resourceVersion), status: { total } });

  it('compares the status of an own write, which may be stored differently', () => {
    list(withStatus('1', 1));
    cache.remember(withStatus('2', 2));
    expect([cache.confirm(withStatus('2', 3)), cache.confirm(withStatus('2', 2))]).toEqual([false, true]);
  });

  it('compares it in a list too, which may be the first to show the stored status', () => {
    list(withStatus('1', 1));
    cache.remember(withStatus('2', 2));
    cache.startList();
    const stored = withStatus('2', 3);
    expect(cache.confirm(stored)).toBe(false);
    cache.put(stored);
    cache.finishList();
    expect([cache.objects.get('a'), eventLog()]).toEqual([stored, ['added u@1']]);
  });
});

describe('remembering an own write', () => {
  it('shows it at once, without an event', () => {
    list(thing('1'));
    cache.remember(thing('3'));
    expect([cache.objects.get('a')?.text, eventLog()]).toEqual(['3', ['added u@1']]);
  });

  it('emits no event when the watch delivers it, or an earlier state', () => {
    list(thing('1'));
    cache.remember(thing('3'));
    cache.put(thing('2'));
    cache.put(thing('3'));
    expect([cache.objects.get('a')?.text, eventLog()]).toEqual(['3', ['added u@1']]);
  });

  it('gives way to the stored state of the same version, without an event', () => {
    list(thing('1'));
    cache.remember({ ...thing('3'), text: 'as sent' });
    cache.put({ ...thing('3'), text: 'as stored' });
    expect([cache.objects.get('a')?.text, eventLog()]).toEqual(['as stored', ['added u@1']]);
  });

  it('gives way to later changes and to deletion', () => {
    list(thing('1'));
    cache.remember(thing('3'));
    cache.put(thing('4'));
    cache.delete(thing('5'));
    expect(eventLog()).toEqual(['added u@1', 'changed u@4', 'deleted u@5']);
    expect(events[1]?.previous?.text).toBe('3');
  });

  it('does nothing when the cache has a later version, no object, or another one', () => {
    list(thing('5'));
    cache.remember(thing('4'));
    cache.remember(thing('9', 'other'));
    cache.remember(thing('9', 'new', 'b'));
    expect([cache.objects.get('a')?.text, cache.objects.size]).toEqual(['5', 1]);
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

  it('outlives a list in progress, and gives way to the next one', () => {
    list(thing('1'));
    cache.startList();
    cache.remember(thing('3'));
    cache.put(thing('1'));
    cache.finishList();
    expect(cache.objects.get('a')?.text).toBe('3');
    list(thing('2'));
    expect(cache.objects.get('a')?.text).toBe('2');
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

it('a cache keeps metadata without annotations as it is', () => {
  const metadata = { name: 'a', uid: 'u', resourceVersion: '5' };
  expect(usedMetadata({ metadata })).toEqual(metadata);
});

it('a cache shares the spec with the previous object when only the status was written', () => {
  const texts = new TextPool();
  const previous = keptObject(object, undefined, texts);
  const written = { ...previous, metadata: { ...previous.metadata, resourceVersion: '6' } };
  expect(keptObject(written, previous, texts).spec).toBe(previous.spec);
});
