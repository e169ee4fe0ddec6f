// A real headless browser for the tests: the Chromium that an npm package brings for Linux on x64, elsewhere one that is installed.
// `ROLEALERTS_TEST_BROWSER` names another one.
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import { chromium, type Browser } from 'playwright-core';
import { describe, it } from 'vitest';

import packageFile from '../../../package.json' with { type: 'json' };

const run = promisify(execFile);
const version = packageFile.devDependencies['@sparticuz/chromium'];
const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge'];

interface FoundBrowser {
  readonly path: string;
  readonly environment: Readonly<Record<string, string>>;
}

const found = await findBrowser();

/** `describe` for tests with a browser; skipped with the reason where none starts. */
// oxlint-disable vitest/valid-title, vitest/valid-describe-callback, vitest/no-disabled-tests, vitest/no-conditional-tests -- a describe of our own, not a test: title and body are its caller's
export function describeWithBrowser(name: string, body: () => void): void {
  if ('problem' in found) describe(name, () => it.skip(found.problem, () => undefined));
  else describe(name, body);
}
// oxlint-enable vitest/valid-title, vitest/valid-describe-callback, vitest/no-disabled-tests, vitest/no-conditional-tests

export function launchBrowser(): Promise<Browser> {
  if ('problem' in found) throw new Error(found.problem);
  const env = { ...process.env, ...found.environment };
  // As root, which containers often are, Chromium's sandbox does not start.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: found.path, args, env });
}

async function findBrowser(): Promise<FoundBrowser | { readonly problem: string }> {
  const named = process.env['ROLEALERTS_TEST_BROWSER'];
  const isBrought = process.platform === 'linux' && process.arch === 'x64' && !named;
  try {
    const browser = isBrought ? await unpack() : { path: named ?? findOnPath(), environment: {} };
    if (browser.path === undefined) return { problem: 'no browser is installed' };
    await run(browser.path, ['--version'], { env: { ...process.env, ...browser.environment } });
    return { path: browser.path, environment: browser.environment };
  } catch (error) {
    return { problem: `the browser does not start: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/**
 * The package unpacks into the folder for temporary files, and would use any file that it finds there. So it runs as a process of its
 * own with a new folder, which then becomes the cache.
 */
async function unpack(): Promise<FoundBrowser> {
  const parent = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'rolealerts', 'browser');
  const folder = join(parent, version);
  if (!existsSync(folder)) {
    mkdirSync(parent, { recursive: true, mode: 0o700 });
    const fresh = mkdtempSync(join(parent, 'unpacking-'));
    const script = "import chromium from '@sparticuz/chromium'; await chromium.executablePath();";
    await run(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: new URL('../../..', import.meta.url).pathname,
      env: { ...process.env, TMPDIR: fresh },
    });
    writeFileSync(join(fresh, 'fonts.conf'), fontsIn(folder));
    moveTo(fresh, folder);
  }
  return { path: join(folder, 'chromium'), environment: { FONTCONFIG_FILE: join(folder, 'fonts.conf') } };
}

/** The package's own file names folders of another machine, and Chromium ends at the first field of a form without a font. */
function fontsIn(folder: string): string {
  return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>
`;
}

/** Another process may have been faster. */
function moveTo(fresh: string, folder: string): void {
  try {
    renameSync(fresh, folder);
  } catch {
    rmSync(fresh, { recursive: true });
  }
}

function findOnPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const files = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
