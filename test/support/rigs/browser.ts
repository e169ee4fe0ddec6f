// A real headless browser for the tests, where there is one: nothing is downloaded. `ROLEALERTS_TEST_BROWSER` names another one.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

import { chromium, type Browser } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge'];

/** Undefined where none is installed. */
export const browserPath = process.env['ROLEALERTS_TEST_BROWSER'] || findOnPath();

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

export function launchBrowser(): Promise<Browser> {
  if (browserPath === undefined) throw new Error('no browser is installed');
  // As root, which containers often are, Chromium's sandbox does not start.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: browserPath, args });
}
