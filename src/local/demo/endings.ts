// Stops the parts of the demo in the reverse order of their start.

/** The parts to stop, in reverse order. */
export interface Endings {
  keep<Part extends { stop(): Promise<unknown> }>(part: Part): Part;
  /** Stops every part even when one fails; then throws the first failure. */
  run(): Promise<void>;
}

export function createEndings(): Endings {
  const parts: { stop(): Promise<unknown> }[] = [];
  return {
    keep(part) {
      parts.push(part);
      return part;
    },
    async run() {
      const failures: unknown[] = [];
      for (let part = parts.pop(); part; part = parts.pop()) {
        await part.stop().catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}
