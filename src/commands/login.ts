// `rolealerts login`: signs a person in and stores the token on their machine: with the code flow where the service offers it, otherwise
// with the implicit flow of section 5.
import { homedir } from 'node:os';

import { trimEndOf } from '../lib/clean-text.ts';
import { sleep, systemClock } from '../lib/clock.ts';
import { LocalError, UsageError } from '../lib/command-errors.ts';
import { StoppedError } from '../lib/errors.ts';
import { durationOption } from '../lib/options/quantity.ts';
import { switchOption, textOption } from '../lib/options/text.ts';
import { systemSecrets } from '../lib/secret-text.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import type { Host } from './host.ts';
import { authorizeURL, findCodeFlow } from './login/code-flow.ts';
import { readAnswer, type SentRequest } from './login/login-answer.ts';
import { openBrowser, type OpenedBrowser } from './login/open-browser.ts';
import { type CallbackServer, startReceiver } from './login/receiver.ts';
import { defaultTokenFile, type LoginToken, readTokens, saveToken } from './preview/login-store.ts';

export const loginOptions = {
  authURL: textOption({
    flag: 'auth-url',
    placeholder: 'URL',
    description: 'The base URL of the authorization server, for example the URL of the alerts service. Required.',
  }),
  clientID: textOption({
    flag: 'client-id',
    placeholder: 'ID',
    description: 'The OAuth client ID. Default: rolealerts-cli.',
  }),
  scope: textOption({
    flag: 'scope',
    placeholder: 'SCOPE',
    description: 'The OAuth scopes to request. Default: user_impersonation.',
  }),
  tokenFile: textOption({
    flag: 'token-file',
    placeholder: 'FILE',
    description: 'The file to store the token in. Default: ~/.config/rolealerts/tokens.json.',
  }),
  printToken: switchOption({
    flag: 'print-token',
    description: 'Print the token to standard output and do not store it.',
  }),
  browser: switchOption({
    flag: 'browser',
    fallback: true,
    description: 'Start a browser. The address is printed in any case.',
  }),
  timeout: durationOption({
    flag: 'timeout',
    fallback: 600_000,
    least: 1000,
    most: 3_600_000,
    description: 'The sign-in timeout.',
  }),
};

export const loginCommand = defineCommand({
  name: 'login',
  description: descriptions.login,
  more: 'The command listens on a free loopback port until the browser returns. The only redirect URI to register for the\nclient is http://127.0.0.1/callback.',
  examples: [
    'rolealerts login --auth-url http://127.0.0.1:8080',
    'rolealerts login --auth-url http://127.0.0.1:8080 --no-browser --print-token > token.txt',
  ],
  options: loginOptions,
  async run(values, host) {
    const authURL = checkURL(values.authURL);
    if (values.printToken && values.tokenFile !== undefined) {
      throw new UsageError('Use either --print-token or --token-file: --print-token does not store the token.');
    }
    const file = values.tokenFile ?? defaultTokenFile(host.env, homedir());
    // Throws before the sign-in what `saveToken` would throw for a file that is not a token file.
    if (!values.printToken) await readTokens(file);
    const scope = values.scope ?? 'user_impersonation';
    const ask = { authURL, scope, clientID: values.clientID ?? 'rolealerts-cli' };
    const show = async (url: string) => {
      host.err.write(`Open this address and sign in:\n\n  ${url}\n\n`);
      return values.browser ? openBrowser(url, { ...host.facts, env: host.env }) : undefined;
    };
    const report = (problem: string) => {
      if (!host.stopping.aborted) host.err.write(`${problem}\nThe sign-in uses the implicit flow.\n\n`);
    };
    const flow = await findCodeFlow(authURL, systemSecrets, host.stopping, report);
    const login = await signIn({ ...ask, flow }, host.stopping, values.timeout, show);
    if (values.printToken) host.out.write(`${login.token.reveal()}\n`);
    else await keep(host, file, authURL, login);
    return 0;
  },
});

type Ask = Omit<SentRequest, 'state' | 'redirectURI'>;

async function signIn(
  ask: Ask,
  stopping: AbortSignal,
  timeoutMs: number,
  show: (url: string) => Promise<OpenedBrowser | undefined>,
): Promise<LoginToken> {
  const state = systemSecrets().reveal();
  const receiver: CallbackServer = await startReceiver((fragment) =>
    readAnswer(fragment, { ...ask, state, redirectURI: receiver.redirectURI }, systemClock.now(), stopping),
  );
  const settled = new AbortController();
  let browser: OpenedBrowser | undefined;
  try {
    browser = await show(
      authorizeURL({
        ...ask,
        redirectURI: receiver.redirectURI,
        state,
        codeChallenge: ask.flow?.codeChallenge,
      }),
    );
    const waited = sleep(systemClock, timeoutMs, AbortSignal.any([stopping, settled.signal])).then(() => undefined);
    const answer = await Promise.race([receiver.answered, waited]);
    if (!answer)
      throw stopping.aborted ? new StoppedError('The sign-in was stopped.') : new LocalError('The sign-in timed out.');
    if (answer.kind === 'refused') throw new LocalError(answer.message);
    return answer.login;
  } finally {
    settled.abort();
    await Promise.all([receiver.stop(), browser?.close()]);
  }
}

async function keep(host: Host, file: string, authURL: string, login: LoginToken): Promise<void> {
  await saveToken(file, authURL, login, systemSecrets);
  const until = login.expiresAtMs === undefined ? '' : ` until ${new Date(login.expiresAtMs).toISOString()}`;
  host.err.write(`Signed in to ${authURL}${until} for ${login.scope}. The token is in ${file}.\n`);
}

/** Allows plain HTTP on loopback only: elsewhere it would expose the password and the token. */
function checkURL(text: string | undefined): string {
  if (text === undefined) {
    throw new UsageError('--auth-url is required: an https URL, or an http URL on this machine.');
  }
  const url = URL.parse(text);
  const isLocal = url !== null && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  if (
    url &&
    url.search === '' &&
    url.hash === '' &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal))
  ) {
    return trimEndOf(url.href, '/');
  }
  throw new UsageError('--auth-url needs an https URL, or an http URL on this machine, without a query.');
}
