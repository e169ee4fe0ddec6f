// The options of `rolealerts serve`.
import { logOptions } from './controller-options.ts';
import {
  addressOption,
  numberOption,
  originOption,
  repeatedOption,
  secretOption,
  switchOption,
  textOption,
} from './option-types.ts';

export const serveOptions = {
  listen: addressOption({
    flag: 'listen',
    fallback: '127.0.0.1:0',
    sentence: 'Where to listen; port 0 picks a free one, and the URL is printed.',
  }),
  publicURL: originOption({
    flag: 'public-url',
    sentence: 'The base address as clients see it, when it is not the one that it listens on, as on every interface.',
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
    sentence:
      'A bearer token that is accepted. When there is neither this nor a client nor a user, one is made up and printed.',
  }),
  client: repeatedOption({
    flag: 'client',
    placeholder: 'ID:SECRET',
    sentence: 'Who may fetch tokens from the token endpoint; may be repeated.',
  }),
  user: repeatedOption({
    flag: 'user',
    placeholder: 'NAME:PASSWORD',
    sentence: 'Who may sign in with a browser; may be repeated.',
  }),
  registrations: textOption({
    flag: 'registrations',
    placeholder: 'FILE',
    sentence: 'YAML or JSON with more clients and users, and what they may do.',
  }),
  tlsCertFile: textOption({
    flag: 'tls-cert-file',
    placeholder: 'FILE',
    sentence:
      'Serve over TLS with this certificate and its chain in PEM; looked at again every 30s. Needs --tls-key-file.',
  }),
  tlsKeyFile: textOption({
    flag: 'tls-key-file',
    placeholder: 'FILE',
    sentence: 'The private key of --tls-cert-file in PEM.',
  }),
  tlsSelfSigned: switchOption({
    flag: 'tls-self-signed',
    sentence: 'Serve over TLS with a certificate made here, for trying out; the CA to trust is printed.',
  }),
  tlsCAOut: textOption({
    flag: 'tls-ca-out',
    placeholder: 'FILE',
    sentence: 'Where the CA of --tls-self-signed is written, too.',
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
  rateLimit: numberOption({
    flag: 'rate-limit',
    fallback: 100,
    least: 0,
    most: 1_000_000,
    defaultText: '100',
    sentence: 'Requests a second that each caller may send, ten times as many at once; 0 for no limit.',
  }),
  providerNamespace: textOption({
    flag: 'provider-namespace',
    placeholder: 'NS',
    sentence: 'What stands in paths and types for Vendor.Authorization, which is the default.',
  }),
  metricsBindAddress: addressOption({
    flag: 'metrics-bind-address',
    fallback: '0',
    sentence: 'Where /metrics is served; 0 for nowhere.',
  }),
  healthProbeBindAddress: addressOption({
    flag: 'health-probe-bind-address',
    fallback: '0',
    sentence: 'Where /livez and /readyz are served; 0 for nowhere.',
  }),
  ...logOptions,
};
