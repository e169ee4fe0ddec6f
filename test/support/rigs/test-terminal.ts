// The part of a terminal that the demo uses: lines that wrap, the cursor up, and erasing what is below. What has scrolled out
// of the window cannot be reached any more, as in a real one.
import type { FrameTerminal } from '../../../src/local/demo/screen.ts';

export class TestTerminal implements FrameTerminal {
  /** Everything that was ever written. */
  written = '';
  readonly #columns: number;
  readonly #rows: number;
  #cells: string[] = [''];
  #row = 0;

  constructor(columns: number, rows: number) {
    this.#columns = columns;
    this.#rows = rows;
  }

  size(): { columns: number; rows: number } {
    return { columns: this.#columns, rows: this.#rows };
  }

  write(text: string): void {
    this.written += text;
    for (const [part] of text.matchAll(/\u001b\[[0-9]*[AJ]|\r|\n|[^\u001b\r\n]+/g)) this.#apply(part);
  }

  /** Without the empty line that the cursor is on. */
  lines(): readonly string[] {
    return this.#cells.at(-1) === '' ? this.#cells.slice(0, -1) : this.#cells;
  }

  #apply(part: string): void {
    const up = /^\u001b\[([0-9]+)A$/.exec(part)?.[1];
    if (up !== undefined) this.#row = Math.max(this.#row - Number(up), this.#cells.length - this.#rows, 0);
    else if (part === '\u001b[J') this.#cells = [...this.#cells.slice(0, this.#row), ''];
    else if (part === '\n') this.#newLine();
    else if (part !== '\r') this.#put(part);
  }

  #newLine(): void {
    this.#row += 1;
    this.#cells[this.#row] ??= '';
  }

  /** At the start of a line only: nothing here writes in the middle of one. */
  #put(text: string): void {
    const [first = '', ...rest] = text.match(new RegExp(`.{1,${this.#columns}}`, 'g')) ?? [];
    this.#cells[this.#row] = first;
    for (const line of rest) {
      this.#newLine();
      this.#cells[this.#row] = line;
    }
  }
}
