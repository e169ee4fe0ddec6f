// The faults of one line of a watch: truncated, split in the middle of a character, repeated, garbage.
import type { Random } from '../../../src/lib/random.ts';

export function mangleLine(
  line: string,
  random: Random,
  rate: number,
  count: (name: string) => void,
): readonly (string | Buffer)[] {
  if (random.next() >= rate) return [line];
  const bytes = Buffer.from(line);
  const at = Math.floor(random.next() * bytes.length);
  switch (Math.floor(random.next() * 4)) {
    case 0:
      count('kube truncated line');
      return [`${line.slice(0, at)}\n`];
    case 1:
      count('kube split line');
      return [bytes.subarray(0, at), bytes.subarray(at)];
    case 2:
      count('kube duplicate event');
      return [line, line];
    default:
      count('kube garbage line');
      return ['garbage\n', line];
  }
}
