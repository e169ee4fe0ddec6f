// An oracle: it watches a world from outside, does not know how the operator decides, and reports violations.
import type { World } from '../world.ts';

export type Report = (what: string) => void;

/** Attaches itself to a world before anything happens in it. */
export interface Oracle {
  readonly name: string;
  watch(world: World, report: Report): void;
  /** Called when the run is over. */
  atEnd?(world: World, report: Report): void;
}

export interface Violation {
  readonly oracle: string;
  readonly atMs: number;
  readonly what: string;
}
