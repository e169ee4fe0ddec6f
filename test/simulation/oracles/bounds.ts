// No deactivation whose bound did not hold in the tick of its send. The newest declaration counts that the process certainly knew: what
// a watch had brought it or what it had read. Its list of the scope has to be young.
import { callersOf, keyOfCaller } from '../alerts/callers.ts';
import type { ShownAlert } from '../alerts/sim-service.ts';
import { startOfTimeMs } from '../engine/sim-process.ts';
import type { SimExchange } from '../engine/types.ts';
import { connectionAt, connectionKeyOf, connectionPlurals, resourceNamespace } from '../kube/connection-keys.ts';
import type { StoredObject } from '../kube/object.ts';
import type { Sending } from '../sending.ts';
import type { World } from '../world.ts';
import { competesForOwnership, type Declaration, declarationOf, originOf, scopeOf } from './declared.ts';
import { granted } from './granted.ts';
import { SpecHistory } from './history.ts';
import { SeenLists } from './lists.ts';
import type { Oracle } from './oracle.ts';
import { isRefused } from './usable.ts';

/** From the end of the list at the service to the send: the response may be late, and a few seconds are allowed after it. */
const oldestListMs = 45_000;

export const boundsOracle: Oracle = {
  name: 'no deactivation whose bound did not hold when it was sent',
  watch(world, report) {
    const policies = new SpecHistory(world, 'rolealertpolicies');
    const connections = new SpecHistory(world, ...connectionPlurals);
    const namespaces = new SpecHistory(world, 'namespaces');
    const lists = new SeenLists(world);
    const facts = { world, policies, connections, namespaces, lists, troubledAt: rememberTroubles(world) };
    world.judges.push((sending) => {
      if (sending.isActive !== false || sending.caller === undefined || world.hasWrongClocks) return undefined;
      const problem = problemOf(facts, { ...sending, caller: sending.caller });
      const { process, alert, scope, caller } = sending;
      return problem === undefined
        ? undefined
        : () => report(`${process} deactivated ${alert} of ${scope} through ${keyOfCaller(caller ?? '')}: ${problem}`);
    });
  },
};

interface Facts {
  readonly world: World;
  readonly policies: SpecHistory;
  readonly connections: SpecHistory;
  readonly namespaces: SpecHistory;
  readonly lists: SeenLists;
  /** When something of a namespace's connections last went wrong for a process; any of it may have ended a claim. */
  readonly troubledAt: ReadonlyMap<string, number>;
}

function rememberTroubles(world: World): Map<string, number> {
  const troubledAt = new Map<string, number>();
  world.onExchange.push((exchange) => {
    const { request, outcome, endedAtMs } = exchange;
    if (typeof outcome === 'number' && outcome < 300 && !showsNoCredential(exchange)) return;
    const caller = world.service.accounts.callerOf(request.headers, world.time.nowMs);
    const [, inPath] = /\/namespaces\/([^/]+)\/(?:secrets|configmaps|serviceaccounts)\//.exec(request.path) ?? [];
    const namespace = caller === undefined ? (inPath ?? 'any') : namespaceOf(keyOfCaller(caller));
    if (caller !== undefined || inPath !== undefined || request.path.startsWith('/token'))
      troubledAt.set(`${request.process} ${namespace}`, endedAtMs);
  });
  return troubledAt;
}

/** Of the Secrets of a connection. */
function namespaceOf(connection: string): string {
  return connection.split('/')[0] || resourceNamespace;
}

/** True for a Secret without its label: reading it ends the claims, as reading none does. */
function showsNoCredential({ request, answerBody }: SimExchange): boolean {
  if (request.method !== 'GET' || !request.path.includes('/secrets/')) return false;
  return !/"rolealerts\.dev\/credential":"true"/.test(String(answerBody));
}

type Sent = Sending & { readonly caller: string };

function problemOf(facts: Facts, sent: Sent): string | undefined {
  const young = facts.lists.between(sent.atMs - oldestListMs, sent.atMs, sent);
  if (young.length === 0) return `no whole list within ${oldestListMs / 1000} s before it`;
  const shown = young.flatMap(({ alerts }) => alerts.filter(({ name }) => isSame(name, sent.alert)));
  if (shown.length === 0) return 'no young list held it';
  const claims = claimsAt(facts, sent, shown);
  const own = claims.filter(
    ({ connection, says }) => connection === keyOfCaller(sent.caller) && says.includes('Inactive'),
  );
  if (own.length === 0) return 'nothing that it may take for true declares it';
  const veto = claims.find((claim) => isVeto(claim, keyOfCaller(sent.caller), own) && !isBeaten(claim, claims));
  return veto && `${veto.policy} claims it Active`;
}

interface Claim {
  readonly policy: string;
  readonly connection: string;
  /** By every version that may be taken for true. */
  readonly says: readonly Declaration['say'][];
  readonly isExplicit: boolean;
  /** It exists, and the process surely knows of it. */
  readonly isKnown: boolean;
}

/** What every policy says that meets this alert at this endpoint. */
function claimsAt(facts: Facts, sent: Sent, shown: readonly ShownAlert[]): Claim[] {
  const { world, policies, connections } = facts;
  return policies.keys().flatMap((key): Claim[] => {
    const known = world.knowledge.of(sent.process, 'rolealertpolicies', key);
    const versions = policies.believable(key, known, sent.atMs);
    const [first] = versions;
    if (!first || !versions.some((version) => scopeOf(version) === sent.scope.toLowerCase())) return [];
    const connection = connectionKeyOf(first);
    const grants = grantsOf(facts, connections, sent, connection);
    if (grants.length === 0) return [];
    const declarations = versions.flatMap((version) =>
      grants.flatMap((grant) => declarationsOf(facts, sent, { version, grant, shown })),
    );
    const says = declarations.map(({ say }) => say);
    const isExplicit = declarations.every((declaration) => declaration.isExplicit);
    const isKnown = known?.isDeleted === false && world.api.store.get('rolealertpolicies', key) !== undefined;
    return [{ policy: key, connection, says, isExplicit, isKnown }];
  });
}

/** By every believable set of labels of its namespace. */
function declarationsOf(
  { world, namespaces }: Facts,
  { process, atMs }: Sent,
  {
    version,
    grant,
    shown,
  }: { readonly version: StoredObject; readonly grant: StoredObject; readonly shown: readonly ShownAlert[] },
): Declaration[] {
  const nowMs = startOfTimeMs + atMs;
  const { namespace = '' } = version.metadata;
  const known = world.knowledge.of(process, 'namespaces', namespace);
  const labelled = namespaces.believable(`/${namespace}`, known, atMs);
  return [undefined, ...labelled].slice(labelled.length === 0 ? 0 : 1).flatMap((each) => {
    const left = granted(version, grant, each);
    if (!left || !competesForOwnership(left.policy, nowMs)) return [silence];
    return shown.map((alert) => declarationOf(left.policy, left.connection, alert, nowMs));
  });
}

const silence: Declaration = { say: 'None', isExplicit: false, untilMs: undefined };

/** Believable versions of a connection that reach this service; another one must have shown that it can use it. */
function grantsOf(
  { world, lists, troubledAt }: Facts,
  connections: SpecHistory,
  sent: Sent,
  key: string,
): StoredObject[] {
  const known = world.knowledge.ofConnection(sent.process, key);
  const all = connections.believable(key, known, sent.atMs);
  if (key === keyOfCaller(sent.caller)) return all;
  // Its claims go with it. The process may know that from a list of connections, which leaves no trace in `knowledge`.
  if (!connectionAt(world.api.store, key)) return [];
  if (all.length !== 1 || all.some((object) => originOf(object) !== sent.origin)) return [];
  const [object] = all;
  const namespace = namespaceOf(key);
  const sinceMs = Math.max(
    sent.atMs - 180_000,
    troubledAt.get(`${sent.process} ${namespace}`) ?? 0,
    troubledAt.get(`${sent.process} any`) ?? 0,
  );
  const hasListed = callersOf(key).some(
    (caller) => lists.between(sinceMs, sent.atMs - 1000, { ...sent, caller }).length > 0,
  );
  return object && hasListed && !isRefused(world, object, sent.scope) ? all : [];
}

/** Within one connection only an explicit claim opposes it; from another one a guard does, too. */
function isVeto(claim: Claim, own: string, dismissals: readonly Claim[]): boolean {
  if (!claim.isKnown || !claim.says.every((say) => say === 'Active')) return false;
  if (claim.connection !== own) return true;
  return claim.isExplicit && !dismissals.some(({ policy }) => policy === claim.policy);
}

/** Within its own connection an explicit dismissal beats a guard. */
function isBeaten(claim: Claim, claims: readonly Claim[]): boolean {
  return claims.some(
    ({ connection, isExplicit, says }) =>
      !claim.isExplicit && connection === claim.connection && isExplicit && says.includes('Inactive'),
  );
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
