// `rolealerts controller` as a process, for tests that send it signals.
import { eventually } from '../servers/control-plane.ts';
import { type ProgramOptions, type RunningProgram, startProgram } from './program.ts';

export interface OperatorProcess extends RunningProgram {
  /** Log lines so far, and sentences of the program. */
  lines(): readonly string[];
  readonly probesURL: string;
  readonly metricsURL: string;
}

const anywhere = ['--metrics-bind-address=127.0.0.1:0', '--health-probe-bind-address=127.0.0.1:0'];
const lenient = ['--leader-elect=false', '--allow-http', '--allow-private-endpoints', '--log-level=debug'];

/** Resolves with a process that has said its URLs, or has ended. Later flags go before earlier ones. */
export async function startOperatorProcess(
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<OperatorProcess> {
  const program = startProgram(['controller', ...lenient, ...anywhere, ...args], options);
  // Without the last one, which may come in two pieces.
  const lines = () => program.output.stderr.split('\n').slice(0, -1);
  const start = await eventually('the start of the program', () => {
    const line = lines().find((each) => each.includes('"msg":"started"'));
    if (line !== undefined) return JSON.parse(line) as { probesURL: string; metricsURL: string };
    return program.child.exitCode === null ? undefined : { probesURL: '', metricsURL: '' };
  });
  return { ...program, ...start, lines };
}
