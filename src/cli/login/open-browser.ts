// Opens the sign-in page in the person's browser, as far as that can be known: the address is printed as well. What starts a browser
// stands in the list of processes for everybody on the machine to read, and the address holds the state, so the browser is given a
// private file that leads there.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { ProcessFacts } from '../../local/machine.ts';

export interface OpenedBrowser {
  /** Takes the file away. Repetition is harmless. */
  close(): Promise<void>;
}

/** Waits for no browser, and fails without one in silence: the printed address is what is left. */
export async function openBrowser(
  url: string,
  { platform, env }: Pick<ProcessFacts, 'platform' | 'env'>,
): Promise<OpenedBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'rolealerts-login-'));
  const page = join(folder, 'sign-in.html');
  await writeFile(page, leadingTo(url), { mode: 0o600 });
  const [file, ...args] = browserCommand(platform);
  const child = spawn(file, [...args, pathToFileURL(page).href], { env, stdio: 'ignore', detached: true });
  child.once('error', () => undefined);
  child.unref();
  return { close: () => rm(folder, { recursive: true, force: true }) };
}

/** The address is made by `URL` and `URLSearchParams`: of what HTML reads otherwise it has the ampersand only. */
function leadingTo(url: string): string {
  const address = url.replaceAll('&', '&amp;').replaceAll('"', '%22').replaceAll('<', '%3C');
  return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}"><p><a href="${address}">Sign in</a></p>
`;
}

function browserCommand(platform: string): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  // Not `start` of cmd, which would read some characters of the address.
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}
