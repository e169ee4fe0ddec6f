// Standard input that has ended, for commands that do not read it.
import type { Input } from '../../../src/cli/host.ts';

export const noInput: Input = { isTerminal: false, read: async () => new Uint8Array() };
