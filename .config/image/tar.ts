// Writes tar archives (POSIX ustar) that depend only on their entries: sorted by path, no times, no names of users.

export interface TarEntry {
  /** Without a slash at its start or end, at most 100 characters. */
  readonly path: string;
  readonly mode: number;
  /** Absent: a folder. */
  readonly content?: Uint8Array;
  /** User and group. Default: 0. */
  readonly owner?: number;
}

const blockBytes = 512;

export function tarOf(entries: readonly TarEntry[]): Buffer {
  const sorted = entries.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const parts = sorted.flatMap((entry) => {
    const content = entry.content ?? new Uint8Array();
    return [headerOf(entry, content.length), content, new Uint8Array(-content.length & (blockBytes - 1))];
  });
  return Buffer.concat([...parts, new Uint8Array(2 * blockBytes)]);
}

function headerOf({ path, mode, content, owner = 0 }: TarEntry, bytes: number): Buffer {
  if (Buffer.byteLength(path) > 100) throw new Error(`${path}: longer than 100 bytes`);
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  header.write(content === undefined ? `${path}/` : path, 0);
  header.write(octal(mode, 7) + octal(owner, 7) + octal(owner, 7) + octal(bytes, 11) + octal(0, 11), 100);
  header.write(`${' '.repeat(8)}${content === undefined ? '5' : '0'}`, 148);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)} `, 148);
  return header;
}

/** The files, and the folders above them. */
export function withFolders(files: readonly TarEntry[]): readonly TarEntry[] {
  const all = new Map(files.map((entry) => [entry.path, entry]));
  for (const { path } of files) {
    const names = path.split('/');
    for (let length = 1; length < names.length; length++) {
      const folder = names.slice(0, length).join('/');
      if (!all.has(folder)) all.set(folder, { path: folder, mode: 0o755 });
    }
  }
  return [...all.values()];
}
