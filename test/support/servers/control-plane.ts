// The real API servers of the tiers `cluster` and `process`. Most files share the control plane of the run (control-plane-setup.ts), each
// test in a namespace of its own. That one refuses cluster-scoped objects, which every file would see: a file that writes them, or stops
// the API server, starts its own.
import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, describe, inject, it } from 'vitest';

import { SecretText } from '../../../src/lib/secret-text.ts';
import { startControlPlane, type ControlPlane } from '../../../src/local/control-plane.ts';
import { findBinaries } from '../../../src/local/find-binaries.ts';
import { thisMachine } from '../../../src/local/machine.ts';
import type { ProvidedControlPlane } from './control-plane-setup.ts';
import { installOperator, testControlPlane, type TestControlPlane } from './test-control-plane.ts';

type OwnControlPlane = ControlPlane & TestControlPlane;

/** `describe` with the shared control plane, where the operator is installed; skipped with the reason when there is none. */
export function describeWithControlPlane(name: string, body: (controlPlane: TestControlPlane) => void): void {
  describeWhereProvided(name, (provided) =>
    body(testControlPlane({ ...provided, adminToken: new SecretText(provided.adminToken) })),
  );
}

/** The same with a control plane that only these tests use. */
export function describeWithOwnControlPlane(name: string, body: (controlPlane: OwnControlPlane) => void): void {
  describeWhereProvided(name, async () => {
    const own = await startOwnControlPlane();
    afterAll(() => own.stop());
    await installOperator(own);
    body(own);
  });
}

// oxlint-disable vitest/valid-title, vitest/valid-describe-callback, vitest/no-disabled-tests, vitest/no-conditional-tests -- a describe of our own, not a test: title and body are its caller's
function describeWhereProvided(
  name: string,
  body: (provided: Exclude<ProvidedControlPlane, { whyNot: string }>) => Promise<void> | void,
): void {
  const provided = inject('controlPlane');
  if ('whyNot' in provided) describe(name, () => it.skip(provided.whyNot, () => undefined));
  else describe(name, () => body(provided));
}
// oxlint-enable vitest/valid-title, vitest/valid-describe-callback, vitest/no-disabled-tests, vitest/no-conditional-tests

/** A control plane of one test, which installs what it needs, and stops it. */
export async function startOwnControlPlane(): Promise<OwnControlPlane> {
  const machine = thisMachine(process);
  // The binaries are in the cache folder since the shared control plane was started.
  const binaries = await findBinaries(machine, () => undefined);
  const controlPlane = await startControlPlane({ machine, binaries });
  return { ...testControlPlane({ ...controlPlane, kubectlPath: binaries.kubectl }), ...controlPlane };
}

/** Long enough for a slow machine; only a hang reaches it. */
const withinMs = 300_000;

/** Asks until `ask` gives a value that is not undefined, for at most five minutes. */
export async function eventually<Value>(
  what: string,
  ask: () => Promise<Value | undefined> | Value | undefined,
): Promise<Value> {
  const endMs = performance.now() + withinMs;
  for (;;) {
    const value = await ask();
    if (value !== undefined) return value;
    if (performance.now() > endMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await delay(50);
  }
}
