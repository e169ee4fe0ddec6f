// Opens an address in the person's browser, as far as that can be known: the address is printed as well.
import { spawn } from 'node:child_process';

import type { ProcessFacts } from '../../local/machine.ts';

/** Never throws and waits for nothing: without a browser the printed address is what is left. */
export function openBrowser(url: string, { platform, env }: Pick<ProcessFacts, 'platform' | 'env'>): void {
  const [file, ...args] = browserCommand(platform);
  const child = spawn(file, [...args, url], { env, stdio: 'ignore', detached: true });
  child.once('error', () => undefined);
  child.unref();
}

function browserCommand(platform: string): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  // Not `start` of cmd, which would read the & of the address.
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}
