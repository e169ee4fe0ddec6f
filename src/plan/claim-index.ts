// The claims of a scope's policies, by alert: each policy has one on every live alert, and those that declare an alert have one on
// it also when the service does not list it.
import { canonicalName } from '../alerts/resource-id.ts';
import type { Alert } from '../alerts/types.ts';
import type { PolicyAlert } from '../policy/generated/role-alert-policy.ts';
import { wantOf } from '../policy/wants.ts';
import type { Claim, PlanInput, PolicyInput } from './plan-input.ts';

export class ClaimIndex {
  readonly #nowMs: number;
  /** Each policy with the alerts that it declares, by `canonicalName`. */
  readonly #declared: ReadonlyMap<PolicyInput, ReadonlyMap<string, PolicyAlert>>;

  constructor({ policies, nowMs }: PlanInput) {
    this.#nowMs = nowMs;
    this.#declared = new Map(policies.map((input) => [input, declaredAlerts(input)]));
  }

  /** The claims on declared alerts that the service does not list, by `canonicalName`. `isLive`: the service lists the alert. */
  claimsOnMissing(isLive: (key: string) => boolean): ReadonlyMap<string, readonly Claim[]> {
    const missing = new Map<string, Claim[]>();
    for (const [input, alerts] of this.#declared) {
      for (const [key, declared] of alerts) {
        if (isLive(key)) continue;
        const claims = missing.get(key) ?? [];
        claims.push(this.#claimOf(input, declared, undefined));
        missing.set(key, claims);
      }
    }
    return missing;
  }

  /** The claims on a live alert. `key`: its `canonicalName`. */
  claimsOn(key: string, alert: Alert): readonly Claim[] {
    return [...this.#declared].map(([input, alerts]) => this.#claimOf(input, alerts.get(key), alert));
  }

  #claimOf(input: PolicyInput, declared: PolicyAlert | undefined, alert: Alert | undefined): Claim {
    return { input, want: wantOf(input.policy, declared, alert, input.grant, this.#nowMs) };
  }
}

function declaredAlerts(input: PolicyInput): Map<string, PolicyAlert> {
  return new Map(input.policy.spec.alerts?.map((alert) => [canonicalName(alert.name), alert]));
}
