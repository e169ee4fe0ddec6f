// `rolealerts demo`.
import { switchOption } from '../lib/options/text.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import { findCheckout, programCall } from './local.ts';

const demoOptions = {
  once: switchOption({
    flag: 'once',
    description: 'Run the scenario non-interactively; exit with 0 when every sample reached its expected state.',
  }),
};

export const demoCommand = defineCommand({
  name: 'demo',
  description: descriptions.demo,
  more: 'Everything stops with the demo. Without a terminal that can redraw, the demo runs as with --once.',
  examples: ['rolealerts demo --once'],
  options: demoOptions,
  async run({ once }, host) {
    // Its modules know places in the checkout.
    const { playLive, playOnce, runDemo } = await import('../local/demo/run-demo.ts');
    const program = programCall(host, findCheckout());
    return runDemo(once || !host.out.canRedraw ? playOnce : playLive, { ...host, program });
  },
});
