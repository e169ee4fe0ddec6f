// `rolealerts serve`: the alerts service in the foreground.
import { serveOptions } from '../config/serve-options.ts';
import { systemClock } from '../lib/clock.ts';
import { createLogger } from '../lib/log.ts';
import { systemSecrets } from '../lib/secret-source.ts';
import { readScannerFile } from '../service/scanner/scanner-file.ts';
import { parseServiceClients } from '../service/service-options.ts';
import { startAlertsService } from '../service/service.ts';
import { defineCommand } from './command.ts';
import { type Host, untilStopped } from './host.ts';
import { openAssignmentSource } from './wiring/scanner-source.ts';

export const serveCommand = defineCommand({
  name: 'serve',
  sentence: 'Run the alerts service of the specification, persistent when --data names a file.',
  more: 'The URL is printed on standard output once it listens; the log goes to standard error.',
  options: serveOptions,
  async run(values, host) {
    const log = createLogger({ level: values.logLevel, format: values.logFormat, sink: host.err });
    const scanning = values.scanner === undefined ? undefined : await openScanning(values.scanner, host);
    const service = await startAlertsService({
      listen: values.listen ?? { host: '127.0.0.1', port: 0 },
      clients: parseServiceClients(values.client),
      clock: systemClock,
      newSecret: systemSecrets,
      log,
      accessLog: log,
      ...(values.seed !== undefined && { seedFile: values.seed }),
      ...(values.data !== undefined && { dataFile: values.data }),
      ...(values.staticToken !== undefined && { staticToken: values.staticToken }),
      ...(scanning && { scanner: scanning.scanner }),
      ...(values.faults !== undefined && { faultsFile: values.faults }),
      ...(values.admin && { admin: { listen: values.admin, ...(values.adminToken && { token: values.adminToken }) } }),
      ...(values.pageSize !== undefined && { pageSize: values.pageSize }),
      ...(values.providerNamespace !== undefined && { providerNamespace: values.providerNamespace }),
    });
    host.out.write(`${service.url}\n`);
    if (service.adminURL !== undefined) host.out.write(`admin ${service.adminURL}\n`);
    if (service.generatedToken) host.out.write(`token ${service.generatedToken.reveal()}\n`);
    await untilStopped(host.stopping);
    await service.stop();
    await scanning?.close();
    return 0;
  },
});

async function openScanning(file: string, { env: environment }: Host) {
  const { intervalMs, thresholds, source: settings } = await readScannerFile(file);
  const { source, close } = openAssignmentSource(settings, { environment, clock: systemClock });
  return { scanner: { intervalMs, thresholds, source }, close };
}
