// `rolealerts doctor`: what keeps the operator from working, with a fix for each failure.
import { readBuildFacts } from '../lib/build-facts.ts';
import { systemClock } from '../lib/clock.ts';
import { StoppedError } from '../lib/errors.ts';
import { checkJson, checkSummary, checkText } from './checks/check.ts';
import { runDoctor } from './checks/doctor.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import { readProxies } from './options/proxy-variables.ts';
import { operatorNamespaceOption, outputOption, viewerOptions } from './options/shared-options.ts';
import { withViewer } from './viewer.ts';

export const doctorCommand = defineCommand({
  name: 'doctor',
  description: descriptions.doctor,
  more: `Checks the API server, the CRDs, the operator and its leader, permissions, and for each connection its credential and the response of
its service. It sends no credential to a service and changes nothing. Services are reached from this machine; from the operator's Pod
their addresses, certificates and proxies may differ.`,
  examples: [
    'rolealerts doctor',
    'rolealerts doctor -A -o json',
    'rolealerts doctor -n payments --operator-namespace security',
  ],
  exits: { success: 'no check failed', failed: 'a check failed' },
  options: { ...viewerOptions, operatorNamespace: operatorNamespaceOption, output: outputOption(['text', 'json']) },
  run: ({ output, operatorNamespace, ...values }, host) =>
    withViewer(values, host, async ({ transport, namespace, signal }) => {
      const place = { transport, namespace, operatorNamespace, clock: systemClock, signal };
      const results = await runDoctor({ place, proxies: readProxies(host.env), version: readBuildFacts().version });
      if (signal.aborted) throw new StoppedError('The checks were stopped.');
      host.out.write(output === 'json' ? checkJson(results) : checkText(results));
      host.err.write(`${checkSummary(results)}.\n`);
      return results.some(({ state }) => state === 'Failed') ? 1 : 0;
    }),
});
