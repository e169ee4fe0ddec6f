// The options of `rolealerts serve`.
import { isNetwork } from '../../lib/ip-address.ts';
import { addressOption, listenOption, originOption } from '../../lib/options/address.ts';
import { choiceOption, switchOption } from '../../lib/options/choice.ts';
import { listOption, repeatedSecretOption } from '../../lib/options/list.ts';
import { numberOption } from '../../lib/options/quantity.ts';
import { retentionOption } from '../../lib/options/retention.ts';
import { secretOption, textOption } from '../../lib/options/text.ts';
import { logOptions } from '../../operator/manager/controller-options.ts';

export const serveOptions = {
  listen: listenOption({
    flag: 'listen',
    fallback: { host: '127.0.0.1', port: 0 },
    description: 'The listen address; port 0 picks a free port, and the URL is printed.',
  }),
  print: choiceOption({
    flag: 'print',
    choices: ['all', 'url', 'nothing'],
    fallback: 'all',
    description:
      'What standard output gets: url is the URL in one line, and with --admin the admin URL in a second one. All but all requires a credential from another option.',
  }),
  publicURL: originOption({
    flag: 'public-url',
    description: 'The external base URL, if it differs from the listen address.',
  }),
  trustedProxies: listOption({
    flag: 'trusted-proxies',
    placeholder: 'CIDR,...',
    description:
      'The proxies whose headers X-Forwarded-For, -Proto and -Host count, as addresses or networks. Default: none.',
    isItem: isNetwork,
    expected: 'addresses or networks like 10.0.0.0/8,fd00::/8',
  }),
  seed: textOption({
    flag: 'seed',
    placeholder: 'FILE',
    description: 'YAML or JSON with scopes and alerts, loaded into an empty store.',
  }),
  data: textOption({
    flag: 'data',
    placeholder: 'FILE',
    description: 'The SQLite file of the state. Default: in memory.',
  }),
  database: secretOption({
    flag: 'database',
    placeholder: 'URL',
    description: 'The PostgreSQL database of the state, instead of --data: postgres://USER:PASSWORD@HOST/DATABASE.',
  }),
  staticToken: secretOption({
    flag: 'static-token',
    placeholder: 'TOKEN',
    description:
      'A bearer token to accept, at least 16 characters. Without a static token, a client and a user, a random one is generated and printed.',
  }),
  client: repeatedSecretOption({
    flag: 'client',
    placeholder: 'ID:SECRET',
    description:
      'A client of the token endpoint, with a secret of at least 16 characters; repeatable, or several separated by white space.',
  }),
  user: repeatedSecretOption({
    flag: 'user',
    placeholder: 'NAME:PASSWORD',
    description:
      'A user who may sign in with a browser, with a password of at least 8 characters; repeatable, or several separated by white space.',
  }),
  registrations: textOption({
    flag: 'registrations',
    placeholder: 'FILE',
    description: 'YAML or JSON with more clients and users, and their OAuth scopes.',
  }),
  tlsCertFile: textOption({
    flag: 'tls-cert-file',
    placeholder: 'FILE',
    description: 'Serve over TLS with this certificate chain in PEM, reread every 30s. Requires --tls-key-file.',
  }),
  tlsKeyFile: textOption({
    flag: 'tls-key-file',
    placeholder: 'FILE',
    description: 'The private key of --tls-cert-file in PEM.',
  }),
  tlsSelfSigned: switchOption({
    flag: 'tls-self-signed',
    description: 'Serve over TLS with a generated certificate, for trials; the CA is printed.',
  }),
  tlsCAOut: textOption({
    flag: 'tls-ca-out',
    placeholder: 'FILE',
    description: 'A file to write the CA certificate of --tls-self-signed to.',
  }),
  scanner: textOption({
    flag: 'scanner',
    placeholder: 'FILE',
    description: 'YAML or JSON with the source of role assignments. Default: no scans.',
  }),
  faults: textOption({
    flag: 'faults',
    placeholder: 'FILE',
    description: 'YAML or JSON with the faults to inject. Default: none.',
  }),
  admin: addressOption({
    flag: 'admin',
    fallback: '0',
    description: 'The listen address of the admin port: faults, scans and the audit trail; 0 disables it.',
  }),
  emulator: switchOption({
    flag: 'emulator',
    description:
      'For tests of a client: the admin port can reset and replace the state and set the clock forward. Requires --admin; excludes --data and --database.',
  }),
  adminToken: secretOption({
    flag: 'admin-token',
    placeholder: 'TOKEN',
    description:
      'The bearer token of the admin port, at least 16 characters. Without it the admin port listens on loopback only.',
  }),
  auditRetention: retentionOption({
    flag: 'audit-retention',
    fallbackDays: 90,
    mostDays: 3650,
    description:
      'How long the audit trail keeps a record of a change; 0 disables it. See GET /audit of the admin port.',
  }),
  auditSize: numberOption({
    flag: 'audit-size',
    fallback: 128,
    least: 1,
    most: 1_048_576,
    defaultText: '128',
    description:
      'The maximum size of the audit trail in MiB, whatever --audit-retention says: then the oldest records are deleted.',
  }),
  pageSize: numberOption({
    flag: 'page-size',
    fallback: undefined,
    least: 1,
    most: 1000,
    defaultText: '50',
    description: 'The maximum number of alerts on one page of a list.',
  }),
  rateLimit: numberOption({
    flag: 'rate-limit',
    fallback: 100,
    least: 0,
    most: 1_000_000,
    defaultText: '100',
    description: 'Requests per second for each caller, with a burst of ten seconds; 0 for no limit.',
  }),
  providerNamespace: textOption({
    flag: 'provider-namespace',
    placeholder: 'NS',
    description: 'The provider namespace in paths, ids and types. Default: Vendor.Authorization.',
  }),
  metricsBindAddress: addressOption({
    flag: 'metrics-bind-address',
    fallback: '0',
    description: 'The address that serves /metrics; 0 disables it.',
  }),
  healthProbeBindAddress: addressOption({
    flag: 'health-probe-bind-address',
    fallback: '0',
    description: 'The address that serves /livez and /readyz; 0 disables them.',
  }),
  ...logOptions,
};
