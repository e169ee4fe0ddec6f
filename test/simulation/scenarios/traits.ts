// The traits of a seed's world. Each trait makes one part of it as bad as reality can be; several may be combined,
// and about one world in five has none.
import type { Random } from '../../../src/lib/random.ts';
import { pick } from './schema-walker.ts';

export interface Traits {
  /** So many scopes on which the service fails permanently. */
  readonly failingScopes: number;
  /** Connections of other namespaces to the same service: without a credential, with a wrong one or one that may only list, broken, or in another spelling. */
  readonly hasNeighbours: boolean;
  /** Low rate limits, one permit, slow responses and a slow token endpoint: long waits between a plan and its sends. */
  readonly isSlow: boolean;
  /** On the first scope. */
  readonly alerts: number;
  /** Persons flip back what the operator sent, right after it did and again and again. */
  readonly isQuarrelsome: boolean;
  /** Secrets, labels and CA bundles go for good, and rotated values still work. */
  readonly losesCredentials: boolean;
  /** The endpoint of a connection is edited. */
  readonly moves: boolean;
  /** Hours in the place of minutes. */
  readonly isLong: boolean;
  /** The ledger of one connection is full from the start. */
  readonly hasFullLedger: boolean;
  /** Objects that an older schema let through. */
  readonly hasOldObjects: boolean;
  /** Objects go slowly, held by finalizers. */
  readonly hasFinalizers: boolean;
  /** Correction windows open and close. */
  readonly hasWindows: boolean;
  /** Several namespaces have policies through one ClusterRoleAlertConnection, and their owners try to do more than it grants. */
  readonly hasFleet: boolean;
  /** Connections act as ServiceAccounts. */
  readonly hasAccounts: boolean;
}

export const plain: Traits = {
  failingScopes: 0,
  hasNeighbours: false,
  isSlow: false,
  alerts: 4,
  isQuarrelsome: false,
  losesCredentials: false,
  moves: false,
  isLong: false,
  hasFullLedger: false,
  hasOldObjects: false,
  hasFinalizers: false,
  hasWindows: false,
  hasFleet: false,
  hasAccounts: false,
};

export const traitNames: readonly string[] = Object.keys(plain);

/** Draws of their own, so that worlds without windows, fleets and ServiceAccounts stay as they were before there were any. */
export interface OwnDraws {
  readonly windowRandom: Random;
  readonly fleetRandom: Random;
}

export function drawTraits(random: Random, { windowRandom, fleetRandom }: OwnDraws): Traits {
  const hasWindows = windowRandom.next() < 0.15;
  const hasFleet = fleetRandom.next() < 0.2;
  const hasAccounts = fleetRandom.next() < 0.15;
  const own = { hasWindows, hasFleet, hasAccounts };
  if (random.next() < 0.15) return { ...plain, ...own };
  const isLong = random.next() < 0.06;
  const isSlow = random.next() < 0.2;
  const traits = {
    failingScopes: random.next() < 0.25 ? 1 + Math.floor(random.next() * 4) : 0,
    hasNeighbours: random.next() < 0.3,
    isSlow,
    alerts: random.next() < 0.15 && !isSlow ? pick(random, [20, 40, 120]) : 4,
    isQuarrelsome: random.next() < 0.2,
    losesCredentials: random.next() < 0.25,
    moves: random.next() < 0.1,
    isLong,
    hasFullLedger: random.next() < 0.02,
    hasOldObjects: random.next() < 0.1,
    hasFinalizers: random.next() < 0.15,
    ...own,
  };
  // A trait that is gone had this draw: every seed stays what it was.
  random.next();
  return traits;
}

export function namesOf(traits: Traits): string[] {
  return Object.entries(traits)
    .filter(
      ([name, value]) => value === true || (name === 'failingScopes' && value > 0) || (name === 'alerts' && value > 4),
    )
    .map(([name]) => `trait ${name}`);
}
