// Decodes one line of a watch. The watcher acts on the event.

import { messageOf } from '../../lib/errors.ts';
import { isNonEmptyString, isObject, objectOf } from '../../lib/json-shape.ts';
import type { KubeError } from './kube-error.ts';
import type { KubeObject } from './resource.ts';
import { errorOfStatus, decodeStatusObject } from './status-error.ts';

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string }
  | { readonly type: 'ERROR'; readonly error: KubeError }
  /** Not JSON, truncated, or not an event. */
  | { readonly type: 'unreadable'; readonly problem: string };

export function decodeWatchLine(line: Buffer): WatchEvent {
  try {
    return decodeEvent(JSON.parse(line.toString('utf8')));
  } catch (error) {
    return { type: 'unreadable', problem: messageOf(error) };
  }
}

function decodeEvent(value: unknown): WatchEvent {
  if (!isObject(value)) return { type: 'unreadable', problem: 'not an object' };
  const { type, object } = value;
  if (type === 'ERROR') {
    return {
      type,
      error: errorOfStatus(decodeStatusObject(object) ?? { code: 500, message: 'an error without a status' }),
    };
  }
  if (type === 'BOOKMARK') {
    const version = objectOf(objectOf(object)['metadata'])['resourceVersion'];
    if (isNonEmptyString(version)) return { type, resourceVersion: version };
  } else if ((type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') && isKubeObject(object)) {
    return { type, object };
  }
  return { type: 'unreadable', problem: 'not a watch event' };
}

/** Whether a value has the metadata of every stored object. */
export function isKubeObject(value: unknown): value is KubeObject {
  const { name, uid, resourceVersion } = objectOf(objectOf(value)['metadata']);
  return isNonEmptyString(name) && isNonEmptyString(uid) && isNonEmptyString(resourceVersion);
}
