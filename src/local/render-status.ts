// The output of `rolealerts local`: the state of a control plane and how to use it.
import { shellQuote } from '../lib/shell-quote.ts';
import type { ControlPlaneRecord } from './control-plane-record.ts';
import type { LocalContext } from './state-directory.ts';

export type ControlPlaneStatus =
  | { readonly state: 'running'; readonly record: ControlPlaneRecord }
  /** Some of its processes have exited. `up` starts a new one, `down` removes the rest. */
  | { readonly state: 'broken'; readonly record: ControlPlaneRecord; readonly gone: readonly string[] }
  | {
      readonly state: 'stopped';
      /** The logs of a control plane that was not stopped by `down`: a crash, a reboot. Absent otherwise. */
      readonly logDirectory?: string;
    };

type Place = Pick<LocalContext, 'stateDirectory' | 'commandFor'>;

/** The output of `rolealerts local status`. */
export function renderStatus(status: ControlPlaneStatus, place: Place): readonly string[] {
  if (status.state === 'stopped') {
    const logs =
      status.logDirectory === undefined ? [] : [`  the last one exited unexpectedly; its logs: ${status.logDirectory}`];
    return [...renderNone(place), ...logs];
  }
  if (status.state === 'running') return ['The control plane is running', ...renderAccess(status.record, place)];
  return [
    `The control plane is broken: ${status.gone.join(', ')} exited`,
    `  start a new one: ${place.commandFor('up')}`,
  ];
}

/** Names the folder, because another one may have a control plane. */
export function renderNone({ stateDirectory }: Pick<LocalContext, 'stateDirectory'>): readonly string[] {
  return ['No control plane is running here', `  state folder: ${stateDirectory}`];
}

/** The lines that say how to use a running control plane. */
export function renderAccess(
  record: ControlPlaneRecord,
  { commandFor }: Pick<LocalContext, 'commandFor'>,
): readonly string[] {
  const [kubectl, kubeconfig] = [record.kubectlPath, record.kubeconfigPath].map(shellQuote);
  return [
    `  url:        ${record.url}`,
    `  kubeconfig: ${record.kubeconfigPath}`,
    `  try:        ${kubectl} --kubeconfig ${kubeconfig} get namespaces`,
    `  stop it:    ${commandFor('down')}`,
  ];
}
