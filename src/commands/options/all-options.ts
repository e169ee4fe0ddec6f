// The options of all commands: what the environment may set for any of them.
import { type Options, variableOf } from '../../lib/options/option.ts';
import { controllerOptions } from '../../operator/manager/controller-options.ts';
import { applyOptions } from './apply-options.ts';
import { budgetOptions } from './budget-options.ts';
import { backupOptions, caOptions } from './data-file-options.ts';
import { doctorOptions } from './doctor-options.ts';
import { explainOptions } from './explain-options.ts';
import { exportOptions } from './export-options.ts';
import { incidentsOptions } from './incidents-options.ts';
import { demoOptions, localOptions } from './local-options.ts';
import { loginOptions } from './login-options.ts';
import { planOptions } from './plan-options.ts';
import { policyEditOptions, suspendOptions } from './policy-edit-options.ts';
import { tokenVariable } from './preview-options.ts';
import { replayOptions } from './replay-options.ts';
import { reportOptions } from './report-options.ts';
import { serveOptions } from './serve-options.ts';
import { statusOptions } from './status-options.ts';
import { timelineOptions } from './timeline-options.ts';
import { traceOptions } from './trace-options.ts';
import { uiOptions } from './ui-options.ts';
import { validateOptions } from './validate-options.ts';
import { versionOptions } from './version-options.ts';

const optionsOfCommands: readonly Options[] = [
  controllerOptions,
  serveOptions,
  backupOptions,
  caOptions,
  timelineOptions,
  budgetOptions,
  exportOptions,
  loginOptions,
  localOptions,
  demoOptions,
  validateOptions,
  statusOptions,
  reportOptions,
  uiOptions,
  explainOptions,
  doctorOptions,
  versionOptions,
  policyEditOptions,
  suspendOptions,
  planOptions,
  applyOptions,
  traceOptions,
  incidentsOptions,
  replayOptions,
];

/** The environment variables of all options. */
export function knownVariables(): readonly string[] {
  const names = optionsOfCommands.flatMap((options) => Object.values(options).map(variableOf));
  return [...new Set([...names, tokenVariable])].filter((name) => name !== undefined);
}
