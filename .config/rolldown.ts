// The bundle: one file for the image and for `node dist/rolealerts.js`. Sources run as they are everywhere else.
import { defineConfig } from 'rolldown';

export default defineConfig({
  input: 'src/main.ts',
  platform: 'node',
  output: { file: 'dist/rolealerts.js', format: 'esm', minify: false, codeSplitting: false },
});
