// The image of an earlier commit, with the dependencies of this checkout.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Update it when the statuses of a release differ from those of the one before, which an operator writes once more. */
const earlierCommit = '2e523842';

export const earlierImage = 'rolealerts:earlier';

/** Writes its archive into `directory`, and resolves with its path. */
export function buildEarlierImage(directory: string): string {
  const checkout = mkdtempSync(join(tmpdir(), 'rolealerts-earlier-'));
  const inCheckout = (file: string, ...args: readonly string[]) =>
    execFileSync(file, args, { cwd: checkout, stdio: 'pipe' });
  try {
    const archive = join(checkout, 'checkout.tar');
    execFileSync('git', ['archive', `--output=${archive}`, earlierCommit]);
    inCheckout('tar', '--extract', `--file=${archive}`);
    symlinkSync(join(process.cwd(), 'node_modules'), join(checkout, 'node_modules'));
    // The version names the image.
    const manifest = join(checkout, 'package.json');
    const text = readFileSync(manifest, 'utf8');
    writeFileSync(manifest, text.replace(/"version": "[^"]*"/, '"version": "earlier"'));
    inCheckout(process.execPath, '.config/build-image.ts', '--platform=amd64');
    const path = join(directory, 'earlier.tar');
    copyFileSync(join(checkout, 'dist/image/rolealerts-earlier.tar'), path);
    return path;
  } finally {
    rmSync(checkout, { recursive: true });
  }
}
