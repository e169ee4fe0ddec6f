// Builds a program from Go modules, which the go.sum in its folder here pins. Go keeps what it compiled, so only the first build takes long.
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { runCommand } from '../../../src/local/run-command.ts';

/** Settings of other Go projects must not affect this build. */
const goSettings = { CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off', GOOS: '', GOARCH: '' };
const buildWithinMs = 60 * 60_000;

/** `name`: the folder here with go.mod. `program`: the file to write. */
export async function buildGoTool(name: string, mainPackage: string, program: string): Promise<void> {
  await mkdir(dirname(program), { recursive: true });
  console.log(`building ${name} from Go modules; the first time takes minutes`);
  const args = ['build', '-mod=readonly', '-trimpath', '-ldflags=-s -w', '-o', program, mainPackage];
  const { exitCode, stderr } = await runCommand('go', args, {
    environment: { ...process.env, ...goSettings },
    directory: fileURLToPath(new URL(name, import.meta.url)),
    deadlineMs: buildWithinMs,
  });
  if (exitCode !== 0) throw new Error(`go build failed: ${stderr}`);
}
