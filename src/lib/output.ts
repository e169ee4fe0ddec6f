// The output of the program for a person: a terminal or a pipe.

/** What was written and the reader has not taken yet. */
export interface Backlog {
  readonly bytes: number;
  /** Calls back once when the reader has taken everything. */
  onceTaken(callback: () => void): void;
}

export interface Output {
  write(text: string): void;
  /** Absent where every write is taken at once. */
  readonly backlog?: Backlog;
  readonly isTerminal: boolean;
  /** True for a terminal that erases and redraws lines: a dumb one would show the escape sequences. */
  readonly canRedraw: boolean;
  /** The current size of the terminal; 80 by 24 without one. */
  readonly columns: number;
  readonly rows: number;
  /** Calls back whenever the size changes, until the caller calls the result. Absent without a terminal. */
  readonly onResize?: (callback: () => void) => () => void;
}

/** Puts the cursor at the start of its line, and empties the line. */
export const eraseLine = '\r\u001b[K';

/** The number of columns that a line may have; 0 for any number, where the reader is a program. */
export function lineColumns({ isTerminal, columns }: Pick<Output, 'isTerminal' | 'columns'>): number {
  return isTerminal ? columns : 0;
}
