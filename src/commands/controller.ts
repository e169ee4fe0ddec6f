// `rolealerts controller`: the operator in the foreground.
import { hostname } from 'node:os';

import { systemClock } from '../lib/clock.ts';
import { UsageError } from '../lib/command-errors.ts';
import { systemRandom } from '../lib/random.ts';
import { controllerOptions } from '../operator/manager/controller-options.ts';
import { startManager } from '../operator/manager/manager.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import { untilStopped } from './host.ts';
import { logStart, openLog } from './open-log.ts';
import { describeProxies, describeProxyVariables, readProxies } from './options/proxy-variables.ts';

export const controllerCommand = defineCommand({
  name: 'controller',
  description: descriptions.controller,
  options: controllerOptions,
  more: describeProxyVariables(),
  examples: [
    'rolealerts controller --leader-elect=false --watch-namespaces payments --read-only',
    'rolealerts controller --leader-election-namespace rolealerts-system --record plans/',
  ],
  async run(values, host) {
    if (host.env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
      throw new UsageError('NODE_TLS_REJECT_UNAUTHORIZED=0 switches off TLS verification; unset it.');
    }
    const proxies = readProxies(host.env);
    const { log, droppedLines } = await openLog(values, host);
    const build = logStart(log, controllerOptions, values, host);
    if (proxies) log.info(describeProxies(proxies, host.env), 'requests go through a proxy');
    const manager = await startManager(values, {
      build,
      environment: host.env,
      proxies,
      reportingInstance: host.env['HOSTNAME'] ?? hostname(),
      clock: systemClock,
      random: systemRandom,
      log,
      droppedLogLines: droppedLines,
    });
    const lost = new AbortController();
    void manager.lost.then(() => lost.abort());
    await untilStopped(AbortSignal.any([host.stopping, lost.signal]));
    await manager.stop();
    return lost.signal.aborted ? 1 : 0;
  },
});
