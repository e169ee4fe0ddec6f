// Problems of manifests whose files and messages have characters with a meaning of their own in a URI, in XML or in JSON.
import type { PlacedProblem } from '../../../src/commands/manifests/parse-manifests.ts';

export const oddFiles = [
  'a.yaml',
  './b/c.yaml',
  '/d.yaml',
  '-',
  'e f.yaml',
  'g#h?i%j.yaml',
  'k:l.yaml',
  '[m]&<n>"o".yaml',
  'ü\ud800.yaml',
];
const messages = ['plain', ']]> <x> & "y" \'z\'', 'line\nbreak\r\ttab', '\u0000\u001b[31m\ufffe', '\ud800 half', ''];

export const oddProblems: readonly PlacedProblem[] = oddFiles.flatMap((file, index) =>
  messages.map((message) => ({
    check: index % 2 === 0 ? 'rule' : 'expired',
    severity: index % 2 === 0 ? 'error' : 'warning',
    path: index % 3 === 0 ? [] : ['spec', 'alerts', 0],
    message,
    ...(index % 4 === 0 && { fix: message }),
    file,
    place: { line: 1 + index, column: 1 },
  })),
);
