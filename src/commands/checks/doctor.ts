// Runs all checks side by side. Without an API server there is nothing else to check.
import type { Proxies } from '../../lib/proxy.ts';
import { Semaphore } from '../../lib/semaphore.ts';
import type { AnyConnection } from '../../policy/resources.ts';
import { readFleet } from '../cluster/read-fleet.ts';
import { type CheckOutcome, type CheckResult, type DoctorPlace, notChecked, runCheck } from './check.ts';
import { checkApiServer, checkCaller, checkCrds, checkLeader, checkOperatorPermissions } from './cluster-checks.ts';
import { checkConnection } from './connection-checks.ts';
import { type Operator, operatorOutcome, readOperators } from './operator.ts';

export interface DoctorInput {
  readonly place: DoctorPlace;
  readonly proxies: Proxies | undefined;
  /** Of this program. */
  readonly version: string;
}

const connectionsAtOnce = 8;

/** In the order of the report. Never rejects. */
export async function runDoctor(input: DoctorInput): Promise<readonly CheckResult[]> {
  const { place } = input;
  const server = await clusterCheck(place, 'api-server', () => checkApiServer(place));
  if (server.state === 'Failed') return [server];
  const [cluster, connections] = await Promise.all([checkCluster(input), checkConnections(input)]);
  return [server, ...cluster, ...connections];
}

function clusterCheck(place: DoctorPlace, check: string, run: () => Promise<CheckOutcome>): Promise<CheckResult> {
  return runCheck({ subject: 'cluster', check }, place.clock, run);
}

async function checkCluster({ place, version }: DoctorInput): Promise<readonly CheckResult[]> {
  const { operatorNamespace } = place;
  let operators: readonly Operator[] = [];
  const deployment = clusterCheck(place, 'operator', async () => {
    operators = await readOperators(place);
    return operatorOutcome(operators, operatorNamespace, version);
  });
  const [crds, caller, found] = await Promise.all([
    clusterCheck(place, 'crds', () => checkCrds(place)),
    clusterCheck(place, 'your-permissions', () => checkCaller(place)),
    deployment,
  ]);
  const dependent =
    operators.length === 0 ? unknownOperator(place) : operators.flatMap((each) => ofOperator(place, each));
  return [crds, found, ...(await Promise.all(dependent)), caller];
}

function ofOperator(place: DoctorPlace, operator: Operator): readonly Promise<CheckResult>[] {
  return [
    clusterCheck(place, 'leader', () => checkLeader(place, operator)),
    clusterCheck(place, 'operator-permissions', () => checkOperatorPermissions(place, operator)),
  ];
}

function unknownOperator(place: DoctorPlace): readonly Promise<CheckResult>[] {
  const unknown = async () => notChecked('The Deployment of the operator is not known.');
  return ['leader', 'operator-permissions'].map((check) => clusterCheck(place, check, unknown));
}

async function checkConnections({ place, proxies }: DoctorInput): Promise<readonly CheckResult[]> {
  const notes: string[] = [];
  let connections: readonly AnyConnection[] = [];
  const listed = await runCheck({ subject: 'connections', check: 'list' }, place.clock, async () => {
    ({ connections } = await readFleet({ ...place, note: (sentence) => void notes.push(sentence) }));
    return notChecked(notes.join(' '));
  });
  let shards: readonly Operator[] = [];
  const everywhere = await clusterCheck(place, 'shards', async () => {
    shards = await readOperators({ ...place, operatorNamespace: undefined });
    return notChecked('');
  });
  const permits = new Semaphore(connectionsAtOnce);
  const facts = { proxies, shards };
  const results = await Promise.all(connections.map((each) => permits.run(() => checkConnection(place, each, facts))));
  // A success needs no line of its own.
  const lines = [listed, everywhere].filter(({ state, message }) => state !== 'NotChecked' || message !== '');
  return [...lines, ...results.flat()];
}
