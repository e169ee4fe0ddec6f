// The options of `rolealerts serve`.
import { logOptions } from './controller-options.ts';
import { addressOption, numberOption, repeatedOption, secretOption, textOption } from './option-types.ts';

export const serveOptions = {
  listen: addressOption({
    flag: 'listen',
    fallback: '127.0.0.1:0',
    sentence: 'Where to listen; port 0 picks a free one, and the URL is printed.',
  }),
  seed: textOption({
    flag: 'seed',
    placeholder: 'FILE',
    sentence: 'YAML or JSON with the scopes and their alerts, loaded when the store is empty.',
  }),
  data: textOption({
    flag: 'data',
    placeholder: 'FILE',
    sentence: 'Where the state is kept. Default: in memory, gone at the end.',
  }),
  staticToken: secretOption({
    flag: 'static-token',
    placeholder: 'TOKEN',
    sentence: 'A bearer token that is accepted. Without it and without --client one is made up and printed.',
  }),
  client: repeatedOption({
    flag: 'client',
    placeholder: 'ID:SECRET',
    sentence: 'Who may fetch tokens from the token endpoint; may be repeated.',
  }),
  scanner: textOption({
    flag: 'scanner',
    placeholder: 'FILE',
    sentence: 'YAML or JSON that says where role assignments are read from. Without it nothing is scanned.',
  }),
  faults: textOption({
    flag: 'faults',
    placeholder: 'FILE',
    sentence: 'YAML or JSON with the faults that requests are to meet. Without it there are none.',
  }),
  admin: addressOption({
    flag: 'admin',
    fallback: '0',
    sentence: 'Where to listen for the admin port, which changes faults and asks for scans.',
  }),
  adminToken: secretOption({
    flag: 'admin-token',
    placeholder: 'TOKEN',
    sentence: 'A bearer token that the admin port asks for. Without it the admin port is on loopback only.',
  }),
  pageSize: numberOption({
    flag: 'page-size',
    fallback: undefined,
    least: 1,
    most: 1000,
    defaultText: '50',
    sentence: 'Alerts on a page of the list.',
  }),
  providerNamespace: textOption({
    flag: 'provider-namespace',
    placeholder: 'NS',
    sentence: 'What stands for Vendor.Authorization in paths and types.',
  }),
  ...logOptions,
};
