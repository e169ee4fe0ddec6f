// The CRD of ClusterRoleAlertConnection: that of RoleAlertConnection with what cluster-crd.yaml adds.
import { readFile } from 'node:fs/promises';

import { type Pair, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';

const source = 'crds/rolealerts.dev_rolealertconnections.yaml';
const additions = '.config/cluster-crd.yaml';
export const clusterCrdFile = 'crds/rolealerts.dev_clusterrolealertconnections.yaml';

const version = ['spec', 'versions', 0];
const schema = [...version, 'schema', 'openAPIV3Schema'];
const propertiesOf = (part: string) => [...schema, 'properties', part, 'properties'];

/** The text of the CRD. `root` is the checkout. */
export async function clusterCrd(root: URL): Promise<string> {
  const read = async (path: string) => parseDocument<YAMLMap>(await readFile(new URL(path, root), 'utf8'));
  const [crd, added] = await Promise.all([read(source), read(additions)]);
  const itemsAt = (path: readonly unknown[]) => (crd.getIn(path) as YAMLMap | YAMLSeq).items as unknown[];
  const nameOf = (key: string) => String(added.getIn(['names', key]));
  const pairOf = (key: string) => added.contents?.items.find((pair) => String(pair.key) === key);

  crd.setIn(['metadata', 'name'], `${nameOf('plural')}.rolealerts.dev`);
  crd.setIn(['spec', 'names'], added.get('names'));
  crd.setIn(['spec', 'scope'], 'Cluster');
  crd.setIn([...schema, 'description'], added.get('description', true));
  crd.setIn([...schema, 'properties', 'kind', 'description'], `${nameOf('kind')}.`);
  insertAfter('Scopes', added.get('column'), itemsAt([...version, 'additionalPrinterColumns']));
  insertAfter('correctionWindows', pairOf('access'), itemsAt(propertiesOf('spec')));
  insertAfter('scopes', pairOf('namespaces'), itemsAt(propertiesOf('status')));
  const body = crd.toString({ lineWidth: 120, flowCollectionPadding: false }).replace(/^(#.*\n)+/, '');
  return `# Made from ${source} and ${additions}\n# by \`npm run generate\`. Change those files, never this one.\n${body}`;
}

/** The name of a column, or the key of a property. */
const idOf = (item: unknown) => String((item as Pair).key ?? (item as YAMLMap).get('name'));

function insertAfter(id: string, item: unknown, items: unknown[]): void {
  const index = items.findIndex((each) => idOf(each) === id);
  if (index < 0 || item === undefined) throw new Error(`${source} has no ${id}, or ${additions} nothing to follow it`);
  items.splice(index + 1, 0, item);
}
