// Finds the claims on one alert without asking every policy of every connection for it: other tenants may have thousands of policies at
// the same endpoint and scope. Own policies take part in every decision. Of the others count those that declare the alert, and of
// those that guard it only the oldest ones, because a younger guard never wins (claims.ts).
import { canonicalName } from '../alerts/resource-id.ts';
import type { Alert } from '../alerts/types.ts';
import type { PolicyAlert } from '../policy/generated/role-alert-policy.ts';
import { severityRank } from '../policy/severity.ts';
import { wantOf } from '../policy/wants.ts';
import { byAge, claimants } from './claims.ts';
import type { Claim, PlanInput, PolicyInput } from './plan-input.ts';

interface Declaring {
  readonly input: PolicyInput;
  readonly declared: PolicyAlert;
}

/** Guards of one standing that act and guard alike, the oldest first. */
interface Guards {
  readonly leastRank: number;
  readonly inputs: readonly PolicyInput[];
}

export class ClaimIndex {
  readonly #nowMs: number;
  /** Each with the alerts that it declares, by `canonicalName`. */
  readonly #own: ReadonlyMap<PolicyInput, ReadonlyMap<string, PolicyAlert>>;
  readonly #others: readonly PolicyInput[];
  readonly #guards: readonly Guards[];
  readonly #declaring = new Map<string, Declaring[]>();

  constructor({ policies, alerts, nowMs }: PlanInput) {
    const claiming = claimants(policies);
    this.#nowMs = nowMs;
    this.#own = new Map(claiming.filter(({ isOwn }) => isOwn).map((input) => [input, declaredAlerts(input)]));
    this.#others = claiming.filter(({ isOwn }) => !isOwn);
    this.#guards = guardsAmong(this.#others);
    if (this.#others.length > 0) this.#indexOthers(new Set(alerts.map(keyOf)));
  }

  /**
   * The claims on the alerts that own policies declare and the service does not list, by `canonicalName`: those of these policies alone,
   * because any tenant may declare any number of names. `isLive`: the service lists the alert.
   */
  claimsOnMissing(isLive: (key: string) => boolean): ReadonlyMap<string, readonly Claim[]> {
    const missing = new Map<string, Claim[]>();
    for (const [input, alerts] of this.#own) {
      for (const [key, declared] of alerts) {
        if (!isLive(key)) addTo(missing, key, this.#claimOf(input, declared, undefined));
      }
    }
    return missing;
  }

  /** The claims on a live alert, those of own policies first. `key`: its `canonicalName`. */
  claimsOn(key: string, alert: Alert): readonly Claim[] {
    const own = [...this.#own].map(([input, alerts]) => this.#claimOf(input, alerts.get(key), alert));
    if (this.#others.length === 0) return own;
    const declaring = this.#declaring.get(key) ?? [];
    const declared = declaring.map(({ input, declared: entry }) => this.#claimOf(input, entry, alert));
    const guards = this.#guardsOf(alert, declaring).map((input) => this.#claimOf(input, undefined, alert));
    const others = [...declared, ...guards];
    return [...own, ...others.filter(({ want }) => want.state !== 'None')];
  }

  #claimOf(input: PolicyInput, declared: PolicyAlert | undefined, alert: Alert | undefined): Claim {
    return { input, want: wantOf(input.policy, declared, alert, input.grant, this.#nowMs) };
  }

  /** Every send asks for one alert, and the policies of others may declare hundreds of thousands: most names differ in their length. */
  #indexOthers(keys: ReadonlySet<string>): void {
    const lengths = new Set([...keys].map(({ length }) => length));
    for (const input of this.#others) {
      for (const declared of input.policy.spec.alerts ?? []) {
        if (!lengths.has(declared.name.length)) continue;
        const key = keyOf(declared);
        if (keys.has(key)) this.#addDeclaring(key, { input, declared });
      }
    }
  }

  /** Of two entries of one policy the last one counts, as for own policies. */
  #addDeclaring(key: string, declaring: Declaring): void {
    const known = this.#declaring.get(key);
    if (known?.at(-1)?.input === declaring.input) known.pop();
    addTo(this.#declaring, key, declaring);
  }

  /**
   * A policy that declares the alert does not guard it. A connection with a declaration may have a claim that comes before its guard, so
   * the search ends at the first guard of a connection without one.
   */
  #guardsOf(alert: Alert, declaring: readonly Declaring[]): PolicyInput[] {
    const inputs = new Set(declaring.map(({ input }) => input));
    const connections = new Set(declaring.map(({ input }) => input.connection));
    const rank = severityRank(alert.severity);
    return this.#guards
      .filter(({ leastRank }) => rank >= leastRank)
      .flatMap((guards) => firstGuards(guards, inputs, connections));
  }
}

function firstGuards(
  { inputs }: Guards,
  declaring: ReadonlySet<PolicyInput>,
  connections: ReadonlySet<string>,
): PolicyInput[] {
  const first = new Map<string, PolicyInput>();
  for (const input of inputs) {
    if (declaring.has(input) || first.has(input.connection)) continue;
    first.set(input.connection, input);
    if (!connections.has(input.connection)) break;
  }
  return [...first.values()];
}

function guardsAmong(others: readonly PolicyInput[]): readonly Guards[] {
  const guarding = others.filter(
    ({ policy: { spec }, grant }) => spec.unlisted.state === 'Active' && grant.unlisted === 'Allow',
  );
  const kindOf = ({ standing, canAct, policy: { spec } }: PolicyInput) =>
    `${standing} ${canAct} ${severityRank(spec.unlisted.minSeverity)}`;
  return [...Map.groupBy(guarding, kindOf).values()].map((inputs) => ({
    leastRank: severityRank(inputs[0]?.policy.spec.unlisted.minSeverity),
    inputs: inputs.sort(byAge),
  }));
}

function declaredAlerts(input: PolicyInput): Map<string, PolicyAlert> {
  return new Map(input.policy.spec.alerts?.map((alert) => [keyOf(alert), alert]));
}

function keyOf({ name }: { readonly name: string }): string {
  return canonicalName(name);
}

function addTo<T>(map: Map<string, T[]>, key: string, value: T): void {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}
