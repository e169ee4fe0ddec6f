// The options of `rolealerts login`.
import { durationOption, switchOption, textOption } from './option-types.ts';

export const loginOptions = {
  authURL: textOption({
    flag: 'auth-url',
    placeholder: 'URL',
    sentence: 'Where to sign in: {auth_url} of the specification. Required.',
  }),
  clientID: textOption({
    flag: 'client-id',
    placeholder: 'ID',
    sentence: 'As which program to ask. Default: rolealerts-cli.',
  }),
  scope: textOption({
    flag: 'scope',
    placeholder: 'SCOPE',
    sentence: 'What the token shall be good for. Default: user_impersonation.',
  }),
  tokenFile: textOption({
    flag: 'token-file',
    placeholder: 'FILE',
    sentence: 'Where to keep the token. Default: ~/.config/rolealerts/tokens.json.',
  }),
  printToken: switchOption({
    flag: 'print-token',
    sentence: 'Print the token on standard output and keep it nowhere.',
  }),
  noBrowser: switchOption({ flag: 'no-browser', sentence: 'Print the address to open and start no browser.' }),
  timeout: durationOption({
    flag: 'timeout',
    fallback: 600_000,
    least: 1000,
    most: 3_600_000,
    sentence: 'How long to wait for the person.',
  }),
};
