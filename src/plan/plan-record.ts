// A plan and its input, as the controller decided it and as a recording keeps it.
import type { Plan } from './decisions.ts';
import type { Fact } from './facts.ts';
import type { PlanInput } from './plan-input.ts';

/** What the controller planned for one scope. */
export interface ScopePlan {
  /** `namespace/name`, or `/name` of a ClusterRoleAlertConnection. */
  readonly connection: string;
  readonly scope: string;
  readonly input: PlanInput;
  readonly plan: Plan;
}

/** What a recording keeps of it. */
export interface PlanRecord extends Omit<ScopePlan, 'plan'> {
  /** The version of the program that decided. */
  readonly program: string;
  readonly facts: readonly Fact[];
}
