// `rolealerts demo`.
import { demoOptions } from '../config/local-options.ts';
import { playLive, playOnce, runDemo } from '../demo/run-demo.ts';
import { keepProcessAlive } from '../lib/keep-process-alive.ts';
import { defineCommand } from './command.ts';

export const demoCommand = defineCommand({
  name: 'demo',
  description:
    'Start a control plane, the alerts service, the operator and sample policies, and show how they converge.',
  more: 'Everything stops with the demo. Without a terminal, the demo runs as with --once.',
  options: demoOptions,
  run: ({ once }, host) => keepProcessAlive(() => runDemo(once || !host.out.isTerminal ? playOnce : playLive, host)),
});
