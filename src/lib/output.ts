// The output of the program for a person: a terminal or a pipe.

export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** The current size of the terminal; 80 by 24 without one. */
  readonly columns: number;
  readonly rows: number;
}
