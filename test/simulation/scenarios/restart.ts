// How a process that ended is replaced: with leader election at once beside the others, without it when the one before has ended, as a
// Deployment that re-creates does it.
import type { Generators } from './generators.ts';

export function restart({ world, random }: Pick<Generators, 'world' | 'random'>): void {
  const start = () => {
    const isElecting = world.replicas.at(-1)?.isElecting === true;
    if (isElecting || !world.replicas.some(({ isAlive }) => isAlive)) void world.startReplica();
    else world.time.schedule(5000, start);
  };
  world.time.schedule(random.next() * 20_000, start);
}
