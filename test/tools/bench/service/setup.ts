// What the sections of `npm run bench:service` share.
import type { Side } from '../sides.ts';

export interface ServiceBench {
  /** For data files and logs; removed at the end. */
  readonly folder: string;
  /** This checkout is the first. */
  readonly sides: readonly [Side, ...Side[]];
  readonly rounds: number;
}
