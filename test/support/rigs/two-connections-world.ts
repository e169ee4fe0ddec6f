// Two connections to one service, each with policies on the same scope: that of the team, and a neighbour's in another namespace.
import type { CodedError } from '../../../src/lib/errors.ts';
import type { RoleAlertConnection, RoleAlertPolicy } from '../../../src/policy/resources.ts';
import { alertName, connection, policy } from '../builders/objects.ts';
import { FakeWorld } from './fake-world.ts';

export const scope = 'subscriptions/a';

/** The neighbour's own connection. It names the same service as `connection()`. */
export function neighbour(spec: Partial<RoleAlertConnection['spec']> = {}, uid = 'uid-neighbour'): RoleAlertConnection {
  const object = connection(spec);
  return { ...object, metadata: { ...object.metadata, namespace: 'neighbour', uid } };
}

/** A policy of the neighbour, older than those of the team. */
export function neighboursPolicy(
  spec: Partial<RoleAlertPolicy['spec']>,
  name = 'theirs',
  createdAt = '2025-01-01T00:00:00Z',
): RoleAlertPolicy {
  const object = policy({ name, createdAt, spec });
  return { ...object, metadata: { ...object.metadata, namespace: 'neighbour', uid: `uid-neighbour-${name}` } };
}

export class TwoConnectionsWorld extends FakeWorld {
  /** Thrown for every request of the connection with this key. */
  readonly failing = new Map<string, CodedError>();

  constructor(change: ConstructorParameters<typeof FakeWorld>[0] = {}) {
    super(change);
    this.onRequest = (request) => {
      const error = this.failing.get(request.connection);
      if (error) throw error;
    };
  }

  get isActive(): boolean | undefined {
    return this.live.get(scope)?.find(({ name }) => name === alertName)?.isActive;
  }

  /** PATCHes as `connection isActive`. */
  patches(): string[] {
    return this.requests
      .filter(({ kind }) => kind === 'patch')
      .map(({ connection: key, isActive }) => `${key} ${isActive}`);
  }

  lists(key: string, sinceMs = 0): number {
    const isOf = (request: (typeof this.requests)[number]) => request.kind === 'list' && request.connection === key;
    return this.requests.filter((request) => isOf(request) && request.atMs >= sinceMs).length;
  }
}
