// Each run of the gate and of a mutant draws the same values for a property, so that the change decides and not the draw. The nightly run
// and a long session of fuzzing draw others; fast-check prints the seed of a failure. Vitest runs this before each file.
import fc from 'fast-check';

const isFresh = process.env['MODE'] === 'nightly' || Number(process.env['ROLEALERTS_FUZZ_RUNS'] ?? 1) > 1;
if (!isFresh) fc.configureGlobal({ seed: 20_261_121 });
