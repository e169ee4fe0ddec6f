// A preview as data for scripts. The shape is a contract: within a version members may be added, never renamed or removed.
import { indentedJson } from '../../lib/indented-json.ts';
import { formatTimestamp } from '../../lib/timestamp.ts';
import { type Preview, type PreviewChange, type PreviewNote, type ScopePreview, totalsOfPreview } from './preview.ts';

export function previewJson(preview: Preview): string {
  const report = {
    apiVersion: 'cli.rolealerts.dev/v1',
    kind: 'PlanReport',
    at: formatTimestamp(preview.nowMs),
    memory: preview.memory,
    namespace: preview.namespace,
    totals: totalsOfPreview(preview),
    scopes: preview.scopes.map(scopeData),
  };
  return indentedJson(report);
}

/** One scope with its changes and notes. */
export function scopeData({ connection, scope, policies, changes, notes }: ScopePreview): object {
  return { connection, scope, policies, changes: changes.map(changeData), notes: notes.map(noteData) };
}

/** Members without a value are absent. */
function changeData({ alert, action, policy, cause, because, actor, severity, incidents, dismissal }: PreviewChange) {
  return { alert, action, policy, cause, because, actor, severity, incidents, dismissal };
}

function noteData({ kind, alert, policy, reason, message, untilMs }: PreviewNote): object {
  return { kind, alert, policy, reason, message, until: untilMs === undefined ? undefined : formatTimestamp(untilMs) };
}
