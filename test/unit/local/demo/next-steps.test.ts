// The commands to try, which can be pasted.
import { execFileSync } from 'node:child_process';

import { describe, expect, it } from 'vitest';

import { nextSteps, renderNextSteps } from '../../../../src/local/demo/next-steps.ts';

const access = {
  program: 'npm run -s rolealerts --',
  kubectl: '/home/a user/kubectl',
  kubeconfigPath: "/tmp/it's here/kubeconfig",
  token: 'secret-token',
  serviceURL: 'http://127.0.0.1:1',
};

describe('the commands to try', () => {
  const steps = nextSteps(access);

  /** How a shell reads the command: one argument a line. */
  function argumentsOf(command: string): readonly string[] {
    const script = `set -- ${command}; printf '%s\\n' "$@"`;
    return execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).trimEnd().split('\n');
  }

  it('are read by a shell as they are meant', () => {
    const [trace = [], look = [], register = [], flip = []] = steps.map(({ command }) => argumentsOf(command));
    expect(trace.slice(-6)).toEqual(['trace', '--kubeconfig', "/tmp/it's here/kubeconfig", '-n', 'demo', 'corrected']);
    expect(look.slice(0, 3)).toEqual(['/home/a user/kubectl', '--kubeconfig', "/tmp/it's here/kubeconfig"]);
    expect(register.slice(-3)).toEqual(['describe', 'rolealertconnection', 'allowing']);
    expect(flip.join('|')).toMatch(
      /^curl\|-i\|-X\|PATCH\|-H\|authorization: Bearer secret-token\|-H\|content-type: application\/json\|-d\|{"properties":{"isActive":false}}\|http:\/\/127\.0\.0\.1:1\/subscriptions\/[^|]+\?api-version=[^|]+$/,
    );
  });

  it('have descriptions that fit 80 columns', () => {
    for (const { description } of steps) expect(description.length).toBeLessThan(80);
  });

  it('stand alone on their lines', () => {
    const lines = renderNextSteps(access);
    for (const { command } of steps) expect(lines).toContain(command);
  });
});
