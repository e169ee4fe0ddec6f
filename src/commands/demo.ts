// `rolealerts demo`.
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import { demoOptions } from './options/local-options.ts';

export const demoCommand = defineCommand({
  name: 'demo',
  description: descriptions.demo,
  more: 'Everything stops with the demo. Without a terminal that can redraw, the demo runs as with --once.',
  examples: ['rolealerts demo --once'],
  options: demoOptions,
  async run({ once }, host) {
    // Its modules know places in the checkout.
    const { playLive, playOnce, runDemo } = await import('../local/demo/run-demo.ts');
    return runDemo(once || !host.out.canRedraw ? playOnce : playLive, host);
  },
});
