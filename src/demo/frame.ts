// A block of lines at the bottom of a terminal that is drawn over itself, while other lines go above it for good. Nothing
// but cursor movements is used, so that a killed demo leaves the terminal as it should be.

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface FrameTerminal {
  write(text: string): void;
  /** Now; it changes when the window does. */
  size(): TerminalSize;
}

export interface Frame {
  /** Replaces the block. Writes nothing when it is the same. What does not fit the height is left out at its end. */
  show(lines: readonly string[]): void;
  /** A line above the block, for good; of any length. */
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
    // A window that became narrower has wrapped what was drawn.
    const height = shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);
    return height === 0 ? '' : `\r\u001b[${height}A${eraseBelow}`;
  };
  const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
  return {
    show(lines) {
      const size = terminal.size();
      // The line below the block holds the cursor.
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
