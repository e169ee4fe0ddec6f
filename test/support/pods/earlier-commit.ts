// An earlier commit: its manifests, and its image with the dependencies of this checkout.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Update it when the statuses of a release differ from those of the one before, which an operator writes once more. */
const earlierCommit = '2e523842';

interface EarlierCommit {
  readonly checkout: string;
  /** An archive of the image `rolealerts:earlier`. */
  readonly image: string;
}

/** Writes it into `directory`. */
export function makeEarlierCommit(directory: string): EarlierCommit {
  const checkout = join(directory, 'earlier');
  mkdirSync(checkout);
  const inCheckout = (file: string, ...args: readonly string[]) =>
    execFileSync(file, args, { cwd: checkout, stdio: 'pipe' });
  const archive = join(directory, 'earlier.tar');
  execFileSync('git', ['archive', `--output=${archive}`, earlierCommit]);
  inCheckout('tar', '--extract', `--file=${archive}`);
  symlinkSync(join(process.cwd(), 'node_modules'), join(checkout, 'node_modules'));
  // The version names the image.
  const manifest = join(checkout, 'package.json');
  const text = readFileSync(manifest, 'utf8');
  writeFileSync(manifest, text.replace(/"version": "[^"]*"/, '"version": "earlier"'));
  inCheckout(process.execPath, '.config/build-image.ts', '--platform=amd64');
  return { checkout, image: join(checkout, 'dist/image/rolealerts-earlier.tar') };
}
