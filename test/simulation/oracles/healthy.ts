// No run shows a bug of the operator in its log, or a resource that is still open after an orderly stop.
import { logIsFull } from '../replica.ts';
import type { Oracle } from './oracle.ts';

export const healthyOracle: Oracle = {
  name: 'no bug in the log, nothing left open',
  watch: () => undefined,
  atEnd(world, report) {
    const bug = world.lines.find(
      (line) => /unexpectedly|a watch handler failed/.test(line) && !line.includes(logIsFull),
    );
    if (bug !== undefined) report(`logged: ${bug.slice(0, 1500)}`);
    for (const replica of world.replicas) for (const left of replica.leftovers()) report(`left open: ${left}`);
  },
};
