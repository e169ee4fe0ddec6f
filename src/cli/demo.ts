// `rolealerts demo`.
import { demoOptions } from '../config/local-options.ts';
import { playLive, playOnce, runDemo } from '../demo/run-demo.ts';
import { keepProcessAlive } from '../lib/keep-process-alive.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';

export const demoCommand = defineCommand({
  name: 'demo',
  description: descriptions.demo,
  more: 'Everything stops with the demo. Without a terminal, the demo runs as with --once.',
  options: demoOptions,
  run: ({ once }, host) => keepProcessAlive(() => runDemo(once || !host.out.isTerminal ? playOnce : playLive, host)),
});
