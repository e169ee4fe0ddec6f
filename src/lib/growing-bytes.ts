// Bytes that arrive in pieces, kept in one piece of memory: a list of the pieces would take a hundred times their bytes if each has one.

export class GrowingBytes {
  #length = 0;
  #memory = Buffer.alloc(0);

  get length(): number {
    return this.#length;
  }

  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  add(piece: Uint8Array): void {
    const needed = this.#length + piece.length;
    if (needed > this.#memory.length) this.#grow(Math.max(needed, 2 * this.#memory.length));
    this.#memory.set(piece, this.#length);
    this.#length = needed;
  }

  #grow(toBytes: number): void {
    // Not of the shared pool, of which a few bytes would keep 64 KiB.
    const memory = Buffer.allocUnsafeSlow(toBytes);
    this.#memory.copy(memory);
    this.#memory = memory;
  }
}
