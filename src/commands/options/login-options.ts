// The options of `rolealerts login`.
import { switchOption } from '../../lib/options/choice.ts';
import { durationOption } from '../../lib/options/quantity.ts';
import { textOption } from '../../lib/options/text.ts';

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
