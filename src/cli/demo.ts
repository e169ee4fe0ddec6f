// `rolealerts demo`.
import { demoOptions } from '../config/local-options.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';

export const demoCommand = defineCommand({
  name: 'demo',
  description: descriptions.demo,
  more: 'Everything stops with the demo. Without a terminal that can redraw, the demo runs as with --once.',
  examples: ['rolealerts demo --once'],
  options: demoOptions,
  async run({ once }, host) {
    // Its modules know places in the checkout.
    const { playLive, playOnce, runDemo } = await import('../demo/run-demo.ts');
    return runDemo(once || !host.out.canRedraw ? playOnce : playLive, host);
  },
});
