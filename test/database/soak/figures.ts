// What a soak counts: the answers of each operation with their times, and the problems.

/** A status, or `lost` for a request without an answer. */
export type Answered = number | 'lost';

interface Operation {
  readonly answers: Map<Answered, number>;
  readonly durationsMs: number[];
}

const mostProblems = 50;

export class Figures {
  readonly problems: string[] = [];
  readonly #operations = new Map<string, Operation>();

  /** 503 and a lost request are answers of an outage, and no problem. */
  add(name: string, answered: Answered, durationMs: number, expected: readonly Answered[]): void {
    const operation = this.#operations.get(name) ?? { answers: new Map<Answered, number>(), durationsMs: [] };
    this.#operations.set(name, operation);
    operation.answers.set(answered, (operation.answers.get(answered) ?? 0) + 1);
    if (expected.includes(answered)) operation.durationsMs.push(durationMs);
    else if (answered !== 503 && answered !== 'lost') this.note(`${name} got ${answered}`);
  }

  note(problem: string): void {
    if (this.problems.length < mostProblems) this.problems.push(problem);
  }

  lines(): readonly string[] {
    return [...this.#operations].map(([name, { answers, durationsMs }]) => {
      const sorted = durationsMs.toSorted((a, b) => a - b);
      const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
      const counts = [...answers].map(([answered, count]) => `${answered}: ${count}`).join(', ');
      return `${name.padEnd(22)} ${counts}; p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`;
    });
  }
}
