// `rolealerts serve` in this process: what it prints, and where its probes are.
import type { Host } from '../../../src/commands/host.ts';
import { serveCommand, serveOptions } from '../../../src/commands/serve.ts';
import type { Output } from '../../../src/lib/output.ts';

export interface Served {
  /** Printed on standard output so far, by line. */
  readonly printed: () => readonly string[];
  readonly probesURL: string;
  readonly metricsURL: string;
  /** Asks it to stop; resolves when it did. */
  readonly stop: () => Promise<number>;
}

export interface Serving {
  /** Resolves when the command has printed or logged where it listens, rejects as it does. */
  readonly serving: Promise<Served>;
  readonly stop: () => Promise<number>;
}

/** `serve` with these values in place of the defaults. */
export function beginServe(change: Readonly<Record<string, unknown>>): Serving {
  const stopping = new AbortController();
  const texts = { out: '', err: '' };
  const said = Promise.withResolvers<void>();
  const outputOf = (name: 'out' | 'err'): Output => ({
    write(text) {
      texts[name] += text;
      const isStarted = change['print'] === 'nothing' && text.includes('"alerts service started"');
      if (name === 'out' || isStarted) said.resolve();
    },
    isTerminal: false,
    canRedraw: false,
    columns: 80,
    rows: 24,
  });
  const host = {
    env: {},
    out: outputOf('out'),
    err: outputOf('err'),
    stopping: stopping.signal,
  } as Partial<Host> as Host;
  const defaults = Object.fromEntries(Object.entries(serveOptions).map(([name, { fallback }]) => [name, fallback]));
  const anywhere = { host: '127.0.0.1', port: 0 };
  const values = { ...defaults, metricsBindAddress: anywhere, healthProbeBindAddress: anywhere, ...change };
  const ended = serveCommand.run(values, host, []);
  const stop = () => {
    stopping.abort();
    return ended;
  };
  const served = Promise.race([ended, said.promise]).then((): Served => {
    const line = texts.err.split('\n').find((each) => each.includes('"probes started"')) ?? '{}';
    const { probesURL = '', metricsURL = '' } = JSON.parse(line) as Partial<Record<'probesURL' | 'metricsURL', string>>;
    return { printed: () => texts.out.split('\n'), probesURL, metricsURL, stop };
  });
  return { serving: served, stop };
}
