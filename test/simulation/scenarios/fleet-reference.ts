// The reference of a policy to the ClusterRoleAlertConnection of a world with a fleet.
import type { Random } from '../../../src/lib/random.ts';
import type { Json } from '../kube/spec-rules.ts';
import type { Generators } from './generators.ts';

export const fleetName = 'shared';

/** Which connection a policy of a world with a fleet names; nothing in any other world. */
export function drawReference({ traits, fleetRandom }: Pick<Generators, 'traits' | 'fleetRandom'>): Json | undefined {
  if (traits?.hasFleet !== true || !fleetRandom) return undefined;
  return drawn(fleetRandom);
}

function drawn(random: Random): Json | undefined {
  if (random.next() < 0.4) return undefined;
  return { kind: 'ClusterRoleAlertConnection', name: random.next() < 0.95 ? fleetName : 'missing' };
}
