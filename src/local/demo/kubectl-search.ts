// Searches a kubectl for the commands to try while the demo runs, and builds one in the background if need be. Nothing else in the
// demo needs kubectl.
import { messageOf } from '../../lib/errors.ts';
import { findKubectl } from '../find-binaries.ts';
import type { Progress } from '../progress.ts';
import { quietOnceStopped, stoppable } from './demo-host.ts';
import type { DemoEnvironment } from './environment.ts';
import { nextSteps, renderNextSteps, type DemoAccess, type NextStep } from './next-steps.ts';

/** An absolute path, or the message of the failure. */
export type KubectlOutcome = { readonly path: string } | { readonly whyNot: string };

export interface KubectlSearch {
  /** Undefined while the search lasts. */
  outcome(): KubectlOutcome | undefined;
  /** Ends a download or build; resolves when nothing of it runs any more. Idempotent. */
  stop(): Promise<void>;
}

export function startKubectlSearch(
  { machine, binaries }: Pick<DemoEnvironment, 'machine' | 'binaries'>,
  progress: Progress,
  find: typeof findKubectl = findKubectl,
): KubectlSearch {
  const ending = new AbortController();
  const stopping = machine.stopping ? AbortSignal.any([machine.stopping, ending.signal]) : ending.signal;
  const background = { ...stoppable(machine, stopping), buildsInBackground: true };
  let outcome: KubectlOutcome | undefined;
  const ended = find(background, quietOnceStopped(progress, { stopping }), binaries).then(
    (path) => void (outcome = { path }),
    (error: unknown) => void (outcome = { whyNot: messageOf(error) }),
  );
  return {
    outcome: () => outcome,
    stop() {
      ending.abort();
      return ended;
    },
  };
}

export interface NextStepsOffer {
  /** Prints the commands that became usable since the last call. */
  update(): void;
}

/** Prints the commands that work already, and the others once kubectl is there, so that every printed command works. */
export function offerNextSteps(
  access: Omit<DemoAccess, 'kubectlPath'>,
  outcome: () => KubectlOutcome | undefined,
  print: (line: string) => void,
): NextStepsOffer {
  const show = (kubectlPath: string, isShown: (step: NextStep) => boolean) => {
    for (const line of renderNextSteps(nextSteps({ ...access, kubectlPath }).filter(isShown))) print(line);
  };
  const usesKubectl = (step: NextStep) => step.usesKubectl;
  const first = outcome();
  let isSettled = first !== undefined && 'path' in first;
  if (first && 'path' in first) {
    show(first.path, () => true);
  } else {
    show('', (step) => !usesKubectl(step));
    if (!first) print('kubectl is not ready yet; the commands that need it follow as soon as it is.');
  }
  return {
    update() {
      const known = outcome();
      if (isSettled || !known) return;
      isSettled = true;
      if ('path' in known) show(known.path, usesKubectl);
      else print(`The commands that need kubectl are left out. ${known.whyNot}`);
    },
  };
}
