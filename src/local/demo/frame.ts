// A block of lines at the bottom of a terminal that is redrawn in place, with permanent lines above it. It uses cursor
// movements only, so that a killed demo leaves the terminal in a normal state.

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface FrameTerminal {
  write(text: string): void;
  /** The current size; it changes with the window. */
  size(): TerminalSize;
}

export interface Frame {
  /** Replaces the block. Writes nothing when it is unchanged. Omits the last lines that exceed the terminal's height. */
  show(lines: readonly string[]): void;
  /** Adds a permanent line of any length above the block. */
  print(line: string): void;
  /** Removes the block. */
  clear(): void;
}

const eraseBelow = '\u001b[J';

export function createFrame(terminal: FrameTerminal): Frame {
  let shown: readonly string[] = [];
  let drawnIn = terminal.size();
  const erase = () => {
    const { columns } = terminal.size();
    // A window that became narrower has wrapped the drawn lines.
    const height = shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);
    return height === 0 ? '' : `\r\u001b[${height}A${eraseBelow}`;
  };
  const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
  return {
    show(lines) {
      const size = terminal.size();
      // The cursor needs the line below the block.
      const next = lines.slice(0, Math.max(size.rows - 1, 0));
      const isSame = next.length === shown.length && next.every((line, index) => line === shown[index]);
      if (isSame && size.columns === drawnIn.columns && size.rows === drawnIn.rows) return;
      terminal.write(erase() + text(next));
      shown = next;
      drawnIn = size;
    },
    print(line) {
      terminal.write(`${erase()}${line}\n${text(shown)}`);
    },
    clear() {
      terminal.write(erase());
      shown = [];
    },
  };
}
