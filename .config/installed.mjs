// Preloaded by the npm scripts that run sources, and run first by the others: before `npm ci` they end with one sentence instead of a stack
// trace or the error of a shell. Plain JavaScript, because an old Node, which cannot load TypeScript, must run it too.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const leastNodeMajor = 24;
const root = dirname(dirname(fileURLToPath(import.meta.url)));

function problem() {
  if (!existsSync(`${root}/node_modules`)) return 'The dependencies are not installed.';
  if (Number(process.versions.node.split('.')[0]) >= leastNodeMajor) return undefined;
  return `The Node of this project is not installed, and ${process.version} is older than Node ${leastNodeMajor}.`;
}

const found = problem();
if (found !== undefined) {
  process.stderr.write(`rolealerts: ${found} Run npm ci in ${root} first.\n`);
  process.exit(1);
}
