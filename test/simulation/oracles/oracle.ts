// What an oracle is: it watches a world from outside, knows nothing of how the operator decides, and reports what must never be.
import type { World } from '../world.ts';

export type Report = (what: string) => void;

/** Attaches itself to a world before anything happens in it. */
export interface Oracle {
  readonly name: string;
  watch(world: World, report: Report): void;
  /** Asked when the run is over. */
  atEnd?(world: World, report: Report): void;
}

export interface Violation {
  readonly oracle: string;
  readonly atMs: number;
  readonly what: string;
}
