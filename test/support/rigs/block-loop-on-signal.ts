// Preloaded into a process (`node --import`): SIGUSR2 blocks its event loop for so many milliseconds, as a runaway computation would.
const blockMs = Number(process.env['BLOCK_LOOP_MS'] ?? 0);

process.on('SIGUSR2', () => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blockMs);
});
