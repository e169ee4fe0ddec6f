// A small world that a test sets up by hand: one namespace, one connection with a token, scopes and policies as they are named.
import { canaryToken } from '../support/checks/canaries.ts';
import { callerOf } from './alerts/callers.ts';
import { type SimAlert, simAlert } from './alerts/sim-alert.ts';
import { startOfTimeMs } from './engine/sim-process.ts';
import { createNamespace } from './kube/namespaces.ts';
import type { StoredObject } from './kube/object.ts';
import type { SimResource } from './kube/resources.ts';
import type { Json } from './kube/spec-rules.ts';
import { serviceOrigin, World, type WorldOptions } from './world.ts';

export const namespace = 'team';
export const caller = callerOf('token', namespace, 'prod');

export function createFixture(
  resources: readonly SimResource[],
  options: Partial<WorldOptions> & { readonly seed: number; readonly connection?: Json },
): World {
  const world = new World({ ...options, resources });
  const { api, service } = world;
  createNamespace(api, namespace);
  service.staticTokens.set(canaryToken, caller);
  api.writes.create(api.resource('secrets'), namespace, {
    metadata: { name: 'credential', labels: { 'rolealerts.dev/credential': 'true' } },
    data: { token: Buffer.from(canaryToken).toString('base64') },
  });
  createConnection(world, options.connection);
  return world;
}

export function createConnection({ api }: World, spec?: Json): void {
  api.writes.create(api.resource('rolealertconnections'), namespace, {
    metadata: { name: 'prod' },
    spec: {
      endpoint: { baseURL: serviceOrigin },
      auth: { tokenSecretRef: { name: 'credential', key: 'token' } },
      deactivation: 'Allow',
      ...spec,
    },
  });
}

export function deleteConnection({ api }: World): void {
  api.writes.delete(api.resource('rolealertconnections'), namespace, 'prod');
}

export function addScope(world: World, scope: string, flags: Readonly<Record<string, boolean>>): void {
  const alerts = Object.entries(flags).map(([name, isActive]): SimAlert => simAlert(name, isActive, startOfTimeMs));
  world.service.addScope(scope, alerts);
}

export function createPolicy(world: World, name: string, spec: Json): void {
  const { api } = world;
  const whole = { connectionRef: { name: 'prod' }, ...spec };
  api.writes.create(api.resource('rolealertpolicies'), namespace, { metadata: { name }, spec: whole });
}

/** As `kubectl apply` of a whole new spec; what cannot be changed stays. */
export function editPolicy(world: World, name: string, spec: Json): void {
  const { api } = world;
  const before = policyOf(world, name)?.spec ?? {};
  const whole = { scope: before['scope'], connectionRef: before['connectionRef'], ...spec };
  api.writes.replace(api.resource('rolealertpolicies'), namespace, name, { metadata: { name }, spec: whole });
}

export function deletePolicy(world: World, name: string): void {
  const { api } = world;
  api.writes.delete(api.resource('rolealertpolicies'), namespace, name);
}

export function policyOf(world: World, name: string): StoredObject | undefined {
  return world.api.store.get('rolealertpolicies', `${namespace}/${name}`);
}

export function connectionOf(world: World): StoredObject | undefined {
  return world.api.store.get('rolealertconnections', `${namespace}/prod`);
}

/** `Type=Status/Reason` of every condition. */
export function conditionsOf(object: StoredObject | undefined): string[] {
  const conditions = ((object?.status ?? {})['conditions'] ?? []) as readonly Json[];
  return conditions.map(({ type, status, reason }) => `${String(type)}=${String(status)}/${String(reason)}`);
}

/** What each alert of a status says, without times. */
export function rowsOf(object: StoredObject | undefined): string[] {
  const rows = ((object?.status ?? {})['alerts'] ?? []) as readonly Json[];
  return rows.map(({ name, want, live, state, result }) => [name, want, live, state, result].join(' '));
}

/** `alert of scope` of every entry of the ledger. */
export function ledgerOf(world: World): string[] {
  const entries = ((connectionOf(world)?.status ?? {})['dismissals'] ?? []) as readonly Json[];
  return entries.map(({ alert, scope }) => `${String(alert)} of ${String(scope)}`).toSorted();
}

/** `name=flag` of every alert of every scope, as it really is. */
export function flagsOf(world: World): string[] {
  return world.service
    .scopes()
    .flatMap((scope) =>
      (world.service.alertsOf(scope) ?? []).map(({ name, isActive }) => `${scope} ${name}=${isActive}`),
    );
}
