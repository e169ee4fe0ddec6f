// The output of `rolealerts local`: the state of a control plane and how to use it.
import type { ControlPlaneRecord } from './control-plane-record.ts';

export type ControlPlaneStatus =
  | { readonly state: 'running'; readonly record: ControlPlaneRecord }
  /** Some of its processes have exited. `up` starts a new one, `down` removes the rest. */
  | { readonly state: 'broken'; readonly record: ControlPlaneRecord; readonly gone: readonly string[] }
  | {
      readonly state: 'stopped';
      /** The logs of a control plane that was not stopped by `down`: a crash, a reboot. Absent otherwise. */
      readonly logDirectory?: string;
    };

/** The output of `rolealerts local status`. */
export function renderStatus(status: ControlPlaneStatus): readonly string[] {
  if (status.state === 'stopped') {
    const logs =
      status.logDirectory === undefined ? [] : [`  the last one exited unexpectedly; its logs: ${status.logDirectory}`];
    return ['No control plane is running here', ...logs];
  }
  if (status.state === 'running') return ['The control plane is running', ...renderAccess(status.record)];
  return [
    `The control plane is broken: ${status.gone.join(', ')} exited`,
    '  start a new one: npm run -s rolealerts -- local up',
  ];
}

/** The lines that say how to use a running control plane. */
export function renderAccess(record: ControlPlaneRecord): readonly string[] {
  return [
    `  url:        ${record.url}`,
    `  kubeconfig: ${record.kubeconfigPath}`,
    `  try:        ${record.kubectlPath} --kubeconfig ${record.kubeconfigPath} get namespaces`,
    '  stop it:    npm run -s rolealerts -- local down',
  ];
}
