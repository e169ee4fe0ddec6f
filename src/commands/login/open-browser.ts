// Opens the sign-in page in the browser. This can fail unnoticed, so the caller also prints the URL. Every user of the machine can
// read the arguments of a process, and the URL contains the state. So the browser opens a private file that redirects to the URL.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { ProcessFacts } from '../../local/machine.ts';

export interface OpenedBrowser {
  /** Deletes the file. Idempotent. */
  close(): Promise<void>;
}

/** Does not wait for the browser, and ignores that none starts: the printed URL remains. */
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

/** Escapes `&`, which `URL` and `URLSearchParams` leave in a URL, and as a precaution the other HTML characters. */
function leadingTo(url: string): string {
  const address = url.replaceAll('&', '&amp;').replaceAll('"', '%22').replaceAll('<', '%3C');
  return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}"><p><a href="${address}">Sign in</a></p>
`;
}

function browserCommand(platform: string): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  // Not `start` of cmd, which would interpret some characters of the URL.
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}
