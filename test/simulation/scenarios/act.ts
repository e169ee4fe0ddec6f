// One thing that people, other programs or misfortune do.
import type { Cast } from './cast.ts';

export type Act = (cast: Cast) => void;
