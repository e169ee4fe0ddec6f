// Builds the data of a preview from planned scopes.
import type { Action, AlertDecision, Plan } from '../../operator/decide/decisions.ts';
import type { PlanInput } from '../../operator/decide/plan-input.ts';
import type { PlannedScope } from './planned-scope.ts';
import { deniedNotes, failureNote, unlistedNotes } from './preview-failures.ts';
import { decisionNotes } from './preview-notes.ts';
import { boundOf, causeSentence } from './preview-sentences.ts';
import type { Preview, PreviewChange, PreviewContext, PreviewNote, ScopePreview } from './preview.ts';

export function previewOf(planned: readonly PlannedScope[], context: PreviewContext): Preview {
  return { ...context, scopes: planned.map((each) => scopePreview(each, context)) };
}

function scopePreview(scope: PlannedScope, context: PreviewContext): ScopePreview {
  const { ref, policies, denied, planned } = scope;
  const all = [...policies, ...denied];
  return {
    ...ref,
    policies: all.map(({ key }) => key),
    changes: planned ? planned.plan.actions.map((action) => changeOf(action, planned)) : [],
    notes: [...deniedNotes(scope, context), ...(planned ? decisionNotes(planned) : unplannedNotes(scope, context))],
  };
}

function unplannedNotes(scope: PlannedScope, context: PreviewContext): readonly PreviewNote[] {
  const { listing } = scope;
  const isFailed = listing !== undefined && 'error' in listing;
  return isFailed ? [failureNote(scope, listing, context)] : unlistedNotes(scope, context);
}

function changeOf(action: Action, { input, plan }: { readonly input: PlanInput; readonly plan: Plan }): PreviewChange {
  const decision = decisionOf(action, plan);
  const policy = input.policies.find(({ key }) => key === action.policyKey)?.policy;
  const dismissal = action.isActive ? undefined : policy && boundOf(policy, action.alert);
  const alert = input.alerts.find(({ name }) => name === action.alert);
  return {
    alert: action.alert,
    action: action.isActive ? 'Activate' : 'Deactivate',
    policy: action.policyKey,
    cause: action.cause,
    because: causeSentence(action, decision?.want.source),
    actor: action.actor,
    severity: alert?.severity,
    incidents: alert?.incidentCount ?? 0,
    dismissal,
  };
}

function decisionOf({ alert, policyKey }: Action, plan: Plan): AlertDecision | undefined {
  return plan.policies.find(({ key }) => key === policyKey)?.alerts.find(({ name }) => name === alert);
}
