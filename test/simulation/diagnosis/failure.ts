// What a failure of the table is: the world that it happens in, what causes it, and what each source must show of it.
import type { Fate, SimRequest } from '../engine/types.ts';
import { addScope, createFixture, createPolicy, namespace } from '../fixture.ts';
import type { SimResource } from '../kube/resources.ts';
import type { Json } from '../kube/spec-rules.ts';
import type { World, WorldOptions } from '../world.ts';
import type { SourceName } from './sources.ts';

/** What a source must show: one record the object with the cause, and one, which may be the same, the object with the next step. */
export interface Clue {
  /** `RoleAlertPolicy/owners`: kind and name, in the namespace of the fixture. */
  readonly object: string;
  /** The reason of the condition and of the event, which is also a row of the reference page. */
  readonly reason: string;
  /** Words that name the cause. */
  readonly cause: readonly RegExp[];
  /** Words that name the next step. */
  readonly fix: RegExp;
}

/** Patterns that one record must match. */
export type Record = readonly RegExp[];

export interface Failure {
  /** A sentence that says what is wrong. */
  readonly title: string;
  readonly world?: Pick<WorldOptions, 'isForgotten'>;
  readonly connection?: Json;
  readonly values?: WorldOptions['values'];
  /** Flags of the alerts of `scope` at the start. Undefined: the service has no such scope. */
  readonly alerts?: Readonly<{ [alert: string]: boolean }> | undefined;
  /** The spec of the policy `owners`, without its scope. */
  readonly policy?: Json;
  /** Before the operator starts. */
  readonly before?: (stage: Stage) => void;
  /** After it has worked for ten minutes. */
  readonly after?: (stage: Stage) => void;
  readonly clue: Clue;
  /** Where a source shows the failure at another object or with another reason, or in the records of a form of its own. */
  readonly other?: Partial<{ [source in SourceName]: Partial<Clue> | readonly Record[] }>;
  /** Sources that cannot show it, and why. */
  readonly silent?: Partial<{ [source in SourceName]: string }>;
  /** True when other clients keep changing the state, so that statuses and events follow. */
  readonly isRestless?: true;
  /** True when no replica is started. */
  readonly hasNoOperator?: true;
}

type FateOf = (request: Omit<SimRequest, 'atMs'>) => Fate | undefined;

export interface Stage {
  readonly world: World;
  /** Replaces the fate of every request from now on; undefined leaves a request alone. */
  readonly setFate: (fateOf: FateOf) => void;
}

export const scope = 'subscriptions/a';
export const alert = 'TooManyOwners';
const active = { alerts: [{ name: alert, state: 'Active' }] };

export function createStage(resources: readonly SimResource[], failure: Failure): Stage {
  let fateOf: FateOf = () => undefined;
  const world = createFixture(resources, {
    seed: 7,
    ...failure.world,
    ...(failure.connection && { connection: failure.connection }),
    values: { leaderElect: false, ...failure.values },
    isTraced: false,
    fateOf: (request) => fateOf(request) ?? { kind: 'deliver' },
  });
  const { alerts = { [alert]: true } } = failure;
  if (!('alerts' in failure) || failure.alerts) addScope(world, scope, alerts);
  createPolicy(world, 'owners', { scope, interval: '5m', ...active, ...failure.policy });
  return {
    world,
    setFate: (next) => {
      fateOf = next;
    },
  };
}

/** The records that the source must have. */
export function recordsOf(failure: Failure, source: SourceName): readonly Record[] {
  const other = failure.other?.[source];
  if (isRecords(other)) return other;
  const { object, reason, cause, fix } = { ...failure.clue, ...other };
  const [kind = '', name = ''] = object.split('/');
  switch (source) {
    case 'get':
      return [[new RegExp(`^${namespace}  ${name}  `), word(reason)]];
    case 'describe': {
      const head = new RegExp(`^Name: ${name}\\nNamespace: ${namespace}\\n.*\\bKind: ${kind}\\n`, 's');
      return [[head, word(`Reason: ${reason}`), ...cause, fix]];
    }
    case 'events':
      return [[new RegExp(`^${namespace}  \\w+  ${reason}  ${kind}/${name}  `), ...cause, fix]];
    case 'log': {
      const at = new RegExp(`kind=${kind} namespace=${namespace} name=${name}\\b`);
      return [
        [at, ...cause],
        [at, word(`reason=${reason}`), fix],
      ];
    }
    case 'metrics': {
      const family = kind === 'RoleAlertPolicy' ? 'policy' : 'connection';
      const labels = `namespace="${namespace}",name="${name}",.*reason="${reason}"`;
      return [[new RegExp(`^rolealerts_${family}_condition\\{${labels}\\} 1$`)]];
    }
  }
}

function isRecords(other: Partial<Clue> | readonly Record[] | undefined): other is readonly Record[] {
  return Array.isArray(other);
}

const word = (text: string): RegExp => new RegExp(`\\b${text}\\b`);
