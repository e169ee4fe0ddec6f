// No deactivation whose bound did not hold in the tick of its send. The newest declaration counts that the process certainly knew: what
// a watch had brought it or what it had read. Its list of the scope has to be young.
import { keyOfCaller } from '../alerts/callers.ts';
import type { ShownAlert } from '../alerts/sim-service.ts';
import { startOfTimeMs } from '../engine/sim-process.ts';
import { connectionKeyOf, connectionPlurals } from '../kube/connection-keys.ts';
import type { StoredObject } from '../kube/object.ts';
import type { Sending } from '../sending.ts';
import type { World } from '../world.ts';
import { competesForOwnership, type Declaration, declarationOf, scopeOf } from './declared.ts';
import { granted } from './granted.ts';
import { SpecHistory } from './history.ts';
import { SeenLists } from './lists.ts';
import type { Oracle } from './oracle.ts';

/** From the end of the list at the service to the send: the response may be late, and a few seconds are allowed after it. */
const oldestListMs = 45_000;

export const boundsOracle: Oracle = {
  name: 'no deactivation whose bound did not hold when it was sent',
  watch(world, report) {
    const policies = new SpecHistory(world, 'rolealertpolicies');
    const connections = new SpecHistory(world, ...connectionPlurals);
    const namespaces = new SpecHistory(world, 'namespaces');
    const lists = new SeenLists(world);
    const facts = { world, policies, connections, namespaces, lists };
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
}

type Sent = Sending & { readonly caller: string };

function problemOf(facts: Facts, sent: Sent): string | undefined {
  const young = facts.lists.between(sent.atMs - oldestListMs, sent.atMs, sent);
  if (young.length === 0) return `no whole list within ${oldestListMs / 1000} s before it`;
  const shown = young.flatMap(({ alerts }) => alerts.filter(({ name }) => isSame(name, sent.alert)));
  if (shown.length === 0) return 'no young list held it';
  const claims = claimsAt(facts, sent, shown);
  const dismissals = claims.filter(({ says }) => says.includes('Inactive'));
  if (dismissals.length === 0) return 'nothing that it may take for true declares it';
  const veto = claims.find((claim) => isVeto(claim, dismissals));
  return veto && `${veto.policy} claims it Active`;
}

interface Claim {
  readonly policy: string;
  /** By every version that may be taken for true. */
  readonly says: readonly Declaration['say'][];
  readonly isExplicit: boolean;
  /** It exists, and the process surely knows of it. */
  readonly isKnown: boolean;
}

/** What every policy of the connection says of this alert. */
function claimsAt(facts: Facts, sent: Sent, shown: readonly ShownAlert[]): Claim[] {
  const { world, policies, connections } = facts;
  const own = keyOfCaller(sent.caller);
  const grants = connections.believable(own, world.knowledge.ofConnection(sent.process, own), sent.atMs);
  return policies.keys().flatMap((key): Claim[] => {
    const known = world.knowledge.of(sent.process, 'rolealertpolicies', key);
    const versions = policies.believable(key, known, sent.atMs);
    const [first] = versions;
    if (!first || !versions.some((version) => scopeOf(version) === sent.scope.toLowerCase())) return [];
    if (connectionKeyOf(first) !== keyOfCaller(sent.caller)) return [];
    const declarations = versions.flatMap((version) =>
      grants.flatMap((grant) => declarationsOf(facts, sent, { version, grant, shown })),
    );
    const says = declarations.map(({ say }) => say);
    const isExplicit = declarations.every((declaration) => declaration.isExplicit);
    const isKnown = known?.isDeleted === false && world.api.store.get('rolealertpolicies', key) !== undefined;
    return [{ policy: key, says, isExplicit, isKnown }];
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

/** Only an explicit claim opposes an explicit dismissal. */
function isVeto({ policy, isKnown, isExplicit, says }: Claim, dismissals: readonly Claim[]): boolean {
  if (!isKnown || !isExplicit || !says.every((say) => say === 'Active')) return false;
  return !dismissals.some((dismissal) => dismissal.policy === policy);
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
