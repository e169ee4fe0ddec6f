// `npm run generate` generates the CRD of ClusterRoleAlertConnection (cluster-crd.ts), the TypeScript types of the
// custom resources from the CRDs, the values of the chart (chart-values.ts), the ConfigMap and the test data of Argo CD (argocd.ts), and
// the tables of the reference pages (tables.ts). This file names the type of every object and enum; crds/ defines their content.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { parse } from 'yaml';

import { type CrdSchema, isAlwaysSet } from '../src/lib/crds.ts';
import { argoFiles } from './argocd.ts';
import { chartValues, chartValuesFile } from './chart-values.ts';
import { clusterCrd, clusterCrdFile } from './cluster-crd.ts';
import { fillTables, generatedPages } from './tables.ts';

interface Target {
  readonly crd: string;
  readonly output: string;
  readonly kind: string;
  /** Path in the schema → type name. Every object and enum needs an entry. A repeated name is declared once. */
  readonly names: Readonly<Record<string, string>>;
  /** Type names that another output declares → the file to import them from. */
  readonly imports: Readonly<Record<string, string>>;
}

const targets: readonly Target[] = [
  {
    crd: 'crds/rolealerts.dev_rolealertpolicies.yaml',
    output: 'src/policy/generated/role-alert-policy.ts',
    kind: 'RoleAlertPolicy',
    names: {
      spec: 'RoleAlertPolicySpec',
      'spec.connectionRef': 'ConnectionRef',
      'spec.connectionRef.kind': 'ConnectionKind',
      'spec.mode': 'PolicyMode',
      'spec.alerts[]': 'PolicyAlert',
      'spec.alerts[].state': 'DeclaredState',
      'spec.alerts[].dismissal': 'Dismissal',
      'spec.unlisted': 'UnlistedAlerts',
      'spec.unlisted.state': 'UnlistedState',
      'spec.unlisted.minSeverity': 'MinSeverity',
      'spec.correctionWindows[]': 'CorrectionWindow',
      'spec.correctionWindows[].kind': 'CorrectionWindowKind',
      'spec.damping': 'Damping',
      'spec.incidents': 'IncidentDisplay',
      status: 'RoleAlertPolicyStatus',
      'status.effective': 'EffectiveSettings',
      'status.effective.mode': 'PolicyMode',
      'status.conditions[]': 'Condition',
      'status.conditions[].status': 'ConditionStatus',
      'status.summary': 'PolicySummary',
      'status.alerts[]': 'AlertStatus',
      'status.alerts[].want': 'AlertWant',
      'status.alerts[].dismissalEnded': 'DismissalEnd',
      'status.alerts[].live': 'AlertLive',
      'status.alerts[].state': 'AlertState',
      'status.alerts[].result': 'AlertResult',
      'status.alerts[].scanning': 'AlertScanning',
      'status.alerts[].lastDrift': 'LastDrift',
      'status.alerts[].lastDrift.actorClass': 'DriftActor',
      'status.alerts[].lastDrift.direction': 'DriftDirection',
      'status.alerts[].incidents': 'IncidentStatus',
      'status.alerts[].incidents.byType[]': 'IncidentTypeCount',
      'status.alerts[].incidents.sample[]': 'IncidentSample',
      'status.history[]': 'CorrectionRecord',
      'status.history[].direction': 'CorrectionDirection',
    },
    imports: {},
  },
  {
    crd: 'crds/rolealerts.dev_rolealertconnections.yaml',
    output: 'src/policy/generated/role-alert-connection.ts',
    kind: 'RoleAlertConnection',
    names: {
      spec: 'RoleAlertConnectionSpec',
      'spec.endpoint': 'ConnectionEndpoint',
      'spec.endpoint.caBundleRef': 'CaBundleRef',
      'spec.endpoint.caBundleRef.kind': 'CaBundleKind',
      'spec.auth': 'ConnectionAuth',
      'spec.auth.clientCredentials': 'ClientCredentials',
      'spec.auth.clientCredentials.clientSecretRef': 'SecretKeyRef',
      'spec.auth.federated': 'FederatedIdentity',
      'spec.auth.tokenSecretRef': 'SecretKeyRef',
      'spec.deactivation': 'DeactivationGate',
      'spec.correctionWindows[]': 'CorrectionWindow',
      'spec.correctionWindows[].kind': 'CorrectionWindowKind',
      'spec.limits': 'ConnectionLimits',
      status: 'RoleAlertConnectionStatus',
      'status.conditions[]': 'Condition',
      'status.dismissals[]': 'DismissalRecord',
      'status.recentDeactivations[]': 'RecentDeactivation',
    },
    imports: { Condition: './role-alert-policy.ts', CorrectionWindow: './role-alert-policy.ts' },
  },
  {
    crd: clusterCrdFile,
    output: 'src/policy/generated/cluster-role-alert-connection.ts',
    kind: 'ClusterRoleAlertConnection',
    names: {
      spec: 'ClusterRoleAlertConnectionSpec',
      'spec.endpoint': 'ConnectionEndpoint',
      'spec.auth': 'ConnectionAuth',
      'spec.deactivation': 'DeactivationGate',
      'spec.correctionWindows[]': 'CorrectionWindow',
      'spec.access[]': 'AccessEntry',
      'spec.access[].namespaceSelector': 'NamespaceSelector',
      'spec.access[].namespaceSelector.matchExpressions[]': 'LabelRequirement',
      'spec.access[].namespaceSelector.matchExpressions[].operator': 'LabelOperator',
      'spec.access[].maxMode': 'PolicyMode',
      'spec.access[].deactivation': 'DeactivationGate',
      'spec.access[].unlisted': 'UnlistedGate',
      'spec.limits': 'ConnectionLimits',
      status: 'ClusterRoleAlertConnectionStatus',
      'status.conditions[]': 'Condition',
      'status.dismissals[]': 'DismissalRecord',
      'status.recentDeactivations[]': 'RecentDeactivation',
    },
    imports: {
      Condition: './role-alert-policy.ts',
      CorrectionWindow: './role-alert-policy.ts',
      PolicyMode: './role-alert-policy.ts',
      ConnectionEndpoint: './role-alert-connection.ts',
      ConnectionAuth: './role-alert-connection.ts',
      ConnectionLimits: './role-alert-connection.ts',
      DeactivationGate: './role-alert-connection.ts',
      DismissalRecord: './role-alert-connection.ts',
      RecentDeactivation: './role-alert-connection.ts',
    },
  },
];

/** Translates a CRD schema into one that the type generator accepts, and names its types. */
class Translator {
  readonly #target: Target;
  readonly #declared = new Set<string>();

  constructor(target: Target) {
    this.#target = target;
  }

  translate(schema: CrdSchema, path: string): JSONSchema {
    const description = wrap(schema.description ?? '');
    if (schema.type === 'array') {
      return {
        type: 'array',
        items: this.translate(schema.items ?? { type: 'string' }, `${path}[]`),
        ...(description && { description }),
      };
    }
    if (schema.additionalProperties)
      return { tsType: 'Readonly<Record<string, string>>', ...(description && { description }) };
    const isNamed = schema.enum !== undefined || schema.properties !== undefined;
    if (!isNamed) return { type: schema.type as 'string', ...(description && { description }) };
    const name = this.#nameOf(path);
    if (this.#declared.has(name)) return { tsType: name, ...(description && { description }) };
    this.#declared.add(name);
    const title = { title: name, ...(description && { description }) };
    if (schema.enum) return { ...title, type: 'string', enum: [...schema.enum] };
    return { ...title, ...this.#members(schema, path) };
  }

  #members(schema: CrdSchema, path: string): JSONSchema {
    const properties = Object.entries(schema.properties ?? {});
    return {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(
        properties.map(([key, property]) => [key, this.translate(property, `${path}.${key}`)]),
      ),
      required: properties
        .filter(([key, property]) => schema.required?.includes(key) || isAlwaysSet(property))
        .map(([key]) => key),
    };
  }

  #nameOf(path: string): string {
    const name = this.#target.names[path];
    if (name === undefined) throw new Error(`${this.#target.crd}: give ${path} a type name in .config/generate.ts`);
    if (name in this.#target.imports) this.#declared.add(name);
    return name;
  }
}

/** Wraps a comment at a hundred characters. */
function wrap(text: string): string {
  return text.replaceAll(/(?=[^\n]{101})([^\n]{1,100}) /g, '$1\n');
}

const options = {
  bannerComment: '',
  additionalProperties: false,
  ignoreMinAndMaxItems: true,
  style: { printWidth: 120, singleQuote: true },
} as const;

async function typesOf(target: Target, root: URL): Promise<string> {
  const crd = parse(await readFile(new URL(target.crd, root), 'utf8'));
  const { spec, status } = crd.spec.versions[0].schema.openAPIV3Schema.properties;
  const translator = new Translator(target);
  const specText = await compile(translator.translate(spec, 'spec'), `${target.kind}Spec`, options);
  const statusText = await compile(translator.translate(status, 'status'), `${target.kind}Status`, options);
  const imports = Object.entries(target.imports).map(([name, from]) => `import type { ${name} } from '${from}';\n`);
  const heading = `// Made from ${target.crd} by \`npm run generate\`. Change that file, never this one.\n`;
  return [heading + imports.join(''), makeReadonly(specText).trim(), `${makeReadonly(statusText).trim()}\n`].join('\n');
}

/** Objects from the API server are never modified in place. */
function makeReadonly(text: string): string {
  return text
    .replace(/^ {2}(?=[A-Za-z]+\??: )/gm, '  readonly ')
    .replace(/^( {2}readonly [A-Za-z]+\??: )([A-Za-z]+\[\];)$/gm, '$1readonly $2');
}

/** Returns the text of every generated file. Writes nothing. `root` is the checkout. */
export async function generateFiles(root: URL): Promise<ReadonlyMap<string, string>> {
  const files = new Map([[clusterCrdFile, await clusterCrd(root)]]);
  for (const target of targets) files.set(target.output, await typesOf(target, root));
  files.set(chartValuesFile, await chartValues(root));
  for (const [file, text] of await argoFiles(root)) files.set(file, text);
  return files;
}

if (import.meta.main) {
  const root = new URL('..', import.meta.url);
  // The types are generated from the CRDs as they are on disk.
  await writeFile(new URL(clusterCrdFile, root), await clusterCrd(root));
  for (const [path, text] of await generateFiles(root)) {
    const file = new URL(path, root);
    await mkdir(dirname(file.pathname), { recursive: true });
    await writeFile(file, text);
    console.log(`wrote ${path}`);
  }
  for (const path of generatedPages) {
    const page = new URL(path, root);
    await writeFile(page, await fillTables(await readFile(page, 'utf8')));
    console.log(`wrote the tables of ${path}`);
  }
}
