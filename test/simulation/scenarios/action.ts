// One thing that people, other programs or misfortune do.
import type { Generators } from './generators.ts';

export type ScenarioAction = (generators: Generators) => void;
