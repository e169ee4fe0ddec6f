// The manager: builds the caches, leader election, metrics, probes and the controller, and starts and stops them
// together. The command and the tests share it, so that the tests run the production code; the differences are
// parameters.
import { type Assembly, assemble } from './assemble.ts';
import { loadRecorder } from './load-recorder.ts';
import type { ManagerValues, ManagerOptions } from './manager-options.ts';
import { createMetrics } from './metrics.ts';
import { startProbes } from './probes.ts';

export interface RunningManager {
  /** Base URLs of the servers; undefined for a server that is disabled. */
  readonly probesURL: string | undefined;
  readonly metricsURL: string | undefined;
  /**
   * Resolves when the leader lease was lost and running work was aborted: nothing is written any more, and the caller
   * should call `stop`. Never resolves without leader election, and never rejects.
   */
  readonly lost: Promise<void>;
  /**
   * Becomes not ready immediately, finishes running work within 20 seconds, releases the lease, and closes everything.
   */
  stop(): Promise<void>;
}

/** A watch without contact for this time counts as dead. */
const silentWatchMs = 300_000;
const eventGraceMs = 2000;

/**
 * Resolves when the probes respond; the caches sync later. Rejects with a `CodedError` for a bad kubeconfig or an
 * address in use.
 */
export async function startManager(values: ManagerValues, options: ManagerOptions): Promise<RunningManager> {
  const { clock, log } = options;
  const lost = Promise.withResolvers<void>();
  let isStopping = false;
  const { build, network, droppedLogLines } = options;
  const ownsProcess = network === undefined;
  const metrics = createMetrics(() => assembly.controller, { clock, build, ownsProcess, droppedLogLines });
  const { record } = values;
  const observe = metrics.onPlanRecorded;
  const recording = { program: build.version, clock, log, observe };
  const recorder = record === undefined ? undefined : await loadRecorder(record, values, recording);
  const assembly: Assembly = assemble(values, { ...(recorder && { recorder }), ...options }, metrics, {
    onSynced() {
      log.info({}, 'caches synced');
      if (!values.leaderElect && !isStopping) assembly.controller.start();
    },
    /**
     * Lists again first: the previous leader may have written until a moment ago, and the caches may not show it yet.
     */
    async onAcquired() {
      const isFresh = await assembly.cluster.relist();
      if (isFresh && !isStopping) assembly.controller.start();
    },
    async onLost() {
      isStopping = true;
      await assembly.controller.stop(0);
      lost.resolve();
    },
  });
  const { connection, cluster, events, controller, leadership } = assembly;
  const servers = await startProbes(
    {
      probes: values.healthProbeBindAddress,
      metrics: values.metricsBindAddress,
      startServer: network?.startServer,
    },
    {
      isLive: () => clock.monotonic() - cluster.lastContactMs < silentWatchMs,
      isReady: () => cluster.hasSynced && !isStopping,
    },
    () => metrics.scrape(),
    clock,
  );
  const { probesURL, metricsURL } = servers;
  log.info({ server: connection.origin, readOnly: values.readOnly, probesURL, metricsURL }, 'started');
  cluster.start();
  leadership.start();
  return {
    probesURL,
    metricsURL,
    lost: lost.promise,
    async stop() {
      isStopping = true;
      log.info({}, 'stopping');
      await controller.stop();
      await leadership.stop();
      await recorder?.stop();
      await cluster.stop();
      await events.stop(eventGraceMs);
      await servers.stop();
      await connection.close();
      log.info({}, 'stopped');
    },
  };
}
