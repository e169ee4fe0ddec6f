// Where a program writes for a person: a terminal, or a pipe.

export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Of the terminal now; 80 by 24 without one. */
  readonly columns: number;
  readonly rows: number;
}
