// Standard input that has ended, for commands that do not read it, and a standard output that takes no bytes, for those that write text.
import type { Host, Input } from '../../../src/commands/host.ts';

export const noInput: Input = { isTerminal: false, read: async () => new Uint8Array() };

export const noBytes: Host['writeBytes'] = () => Promise.reject(new Error('This host takes no bytes.'));
