// Shows the fleet again whenever a policy or a connection changes: on a terminal in place, otherwise one report after another.
import { connectionResource, policyResource } from '../kube/custom-resources.ts';
import type { ReflectorOptions } from '../kube/reflector-options.ts';
import { createReflector, type Reflector } from '../kube/reflector.ts';
import { sleep, systemClock } from '../lib/clock.ts';
import { keepProcessAlive } from '../lib/keep-process-alive.ts';
import { silentLogger } from '../lib/log.ts';
import { systemRandom } from '../lib/random.ts';
import { decodeConnection, decodePolicy } from '../policy/decode-resources.ts';
import type { RoleAlertConnection, RoleAlertPolicy } from '../policy/resources.ts';
import type { FleetInput } from '../view/fleet.ts';
import type { Host } from './host.ts';
import type { Viewer } from './viewer.ts';

/** Changes within this time are shown together. */
const settleMs = 250;

/** Erases the screen and what scrolled out of it, and puts the cursor at the top left. */
const clearScreen = '\u001b[H\u001b[2J\u001b[3J';

/** Ends when the process is asked to stop. */
export async function watchFleet(viewer: Viewer, host: Host, render: (input: FleetInput) => string): Promise<void> {
  const changes = new Changes();
  const policies = reflect<RoleAlertPolicy>(viewer, host, changes, { resource: policyResource, decode: decodePolicy });
  const connections = reflect<RoleAlertConnection>(viewer, host, changes, {
    resource: connectionResource,
    decode: decodeConnection,
  });
  policies.start();
  connections.start();
  const { stopping, out } = host;
  await keepProcessAlive(async () => {
    while (!stopping.aborted) {
      await changes.next(stopping);
      await sleep(systemClock, settleMs, stopping);
      changes.clear();
      if (!policies.hasSynced || !connections.hasSynced || stopping.aborted) continue;
      const input = { policies: [...policies.list()], connections: [...connections.list()], nowMs: systemClock.now() };
      out.write(`${out.isTerminal ? clearScreen : ''}${render(input)}${out.isTerminal ? '' : '\n'}`);
    }
  });
  await Promise.all([policies.stop(), connections.stop()]);
}

/** A signal that something changed, which keeps until it is cleared. */
class Changes {
  #happened = Promise.withResolvers<void>();

  report(): void {
    this.#happened.resolve();
  }

  clear(): void {
    this.#happened = Promise.withResolvers<void>();
  }

  /** Resolves at the next change, or when `signal` aborts. */
  async next(signal: AbortSignal): Promise<void> {
    const stop = () => this.report();
    signal.addEventListener('abort', stop, { once: true });
    await this.#happened.promise;
    signal.removeEventListener('abort', stop);
  }
}

function reflect<T extends RoleAlertPolicy | RoleAlertConnection>(
  { transport, namespace }: Viewer,
  { err }: Host,
  changes: Changes,
  what: Pick<ReflectorOptions<T>, 'resource' | 'decode'>,
): Reflector<T> {
  let failure: string | undefined;
  return createReflector<T>({
    ...what,
    namespaces: namespace === undefined ? [] : [namespace],
    transport,
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    handlers: { onEvent: () => changes.report(), onSynced: () => changes.report() },
    observer: {
      onListed: () => (failure = undefined),
      onWatching: () => undefined,
      onFailure(resource, code) {
        if (code === failure || code === 'kube-gone') return;
        failure = code;
        err.write(`rolealerts: watching ${resource} failed (${code}); trying again.\n`);
      },
    },
  });
}
