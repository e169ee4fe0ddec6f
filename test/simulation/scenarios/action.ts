// One action of users, other programs or faults.
import type { Generators } from './generators.ts';

export type ScenarioAction = (generators: Generators) => void;
