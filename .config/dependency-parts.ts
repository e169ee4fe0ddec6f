// Which parts of the dependencies the bundle contains. Several load all their modules when they are imported, which would take a fifth
// of the operator's memory at the start. The sources import them as usual; only the bundle leaves parts out.
import { join } from 'node:path';

import type { Plugin } from 'rolldown';

const modules = join(import.meta.dirname, '..', 'node_modules');

/** The modules behind the names that somewhere are imported. An import of another name fails the build. */
const used: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '@kubernetes/client-node': { KubeConfig: '@kubernetes/client-node/dist/config.js' },
  undici: {
    Agent: 'undici/lib/dispatcher/agent.js',
    Pool: 'undici/lib/dispatcher/pool.js',
    ProxyAgent: 'undici/lib/dispatcher/proxy-agent.js',
    buildConnector: 'undici/lib/core/connect.js',
  },
  'prom-client': {
    Counter: 'prom-client/lib/counter.js',
    Gauge: 'prom-client/lib/gauge.js',
    Histogram: 'prom-client/lib/histogram.js',
    Registry: 'prom-client/lib/registry.js',
  },
};

/** Replaces the entry of a dependency with one that exports only the names above. */
export const usedParts: Plugin = {
  name: 'used-parts',
  resolveId: (id) => (Object.hasOwn(used, id) ? `\0used/${id}` : undefined),
  load(id) {
    const names = id.startsWith('\0used/') ? used[id.slice('\0used/'.length)] : undefined;
    return names && Object.entries(names).map(exportLine).join('\n');
  },
};

const exportLine = ([name, file]: readonly [string, string]) =>
  `export { ${file.endsWith('/config.js') ? name : `default as ${name}`} } from ${JSON.stringify(join(modules, file))};`;

interface UnusedModule {
  readonly file: RegExp;
  /** What the module is for, and why nothing calls it. */
  readonly purpose: string;
  /** What its importer expects of it at the start. Absent: nothing imports it before it is needed, so the import itself fails. */
  readonly exports?: string;
}

const unused: readonly UnusedModule[] = [
  {
    file: /undici\/lib\/dispatcher\/client-h2\.js$/,
    purpose: 'HTTP/2, because every dispatcher sets allowH2: false',
    exports: 'module.exports = fail;',
  },
  {
    file: /undici\/lib\/dispatcher\/proxy-agent\.js$/,
    purpose:
      "undici's ProxyAgent, because alert-client/tunnel.ts opens tunnels and kube/kubeconfig.ts rejects a proxy-url",
    exports: 'module.exports = fail;',
  },
  {
    file: /undici\/lib\/dispatcher\/parser-h1\.js$/,
    purpose: "undici's experimental parser, because UNDICI_USE_MILO has no effect",
    exports: 'module.exports = { H1Parser: fail, getMiloEnabled: () => false };',
  },
  { file: /undici\/lib\/web\//, purpose: 'bodies of fetch, because requests send texts' },
  {
    file: /pino\/lib\/transport\.js$/,
    purpose: 'logging in a worker thread, because the log is written synchronously',
    exports: 'module.exports = fail;',
  },
  {
    file: /@pinojs\/redact\//,
    purpose: "pino's redaction by path, because lib/secret-text.ts redacts secrets",
    exports: 'module.exports = fail;',
  },
  {
    file: /\/pg\/lib\/native\//,
    purpose: "pg's client over libpq, because the service uses the one in JavaScript",
    exports: 'module.exports = fail;',
  },
  {
    file: /node_modules\/pgpass\//,
    purpose: '~/.pgpass, because the URL of the database or PGPASSWORD has the password',
    exports: 'module.exports = fail;',
  },
  {
    file: /node_modules\/pg-connection-string\//,
    purpose: "pg's parser of URLs, because service/postgres/postgres-url.ts decodes them",
    exports: 'module.exports = { parse: fail };',
  },
  {
    file: /client-node\/dist\/gen\/index\.js$/,
    purpose: "client-node's generated clients, because calls go through kube/transport.ts",
    exports: 'export { fail as createConfiguration, fail as ServerConfiguration };',
  },
  {
    file: /node_modules\/(socks|socks-proxy-agent|hpagent)\//,
    purpose: 'proxies, because kube/kubeconfig.ts rejects a proxy-url',
    exports:
      'export { fail as SocksClient, fail as SocksProxyAgent, fail as HttpProxyAgent, fail as HttpsProxyAgent };',
  },
];

/** Calls Node's `assert` only to fail. */
export const lightAssert = `
  module.exports = (value, message) => value || process.getBuiltinModule('node:assert')(value, message);`;

/** undici asserts some forty conditions a request, and Node's `assert` collects the arguments of each call in arrays. */
export const lightAssertions: Plugin = {
  name: 'light-assertions',
  resolveId: (id, importer) =>
    id === 'node:assert' && /\/undici\//.test(importer ?? '') ? '\0light/assert' : undefined,
  load: (id) => (id === '\0light/assert' ? lightAssert : undefined),
};

/** Replaces modules that are never called with an error. */
export const unusedParts: Plugin = {
  name: 'unused-parts',
  load(id) {
    const part = unused.find(({ file }) => file.test(id));
    if (part === undefined) return undefined;
    const message = JSON.stringify(`The bundle does not contain ${part.purpose}.`);
    return `function fail() { throw new Error(${message}); }\n${part.exports ?? 'fail();'}`;
  },
};
