// What a user gets for a wrong manifest: one mistake after another against a real API server, with every word of the answer. The table is
// reviewed as text (test/fixtures/crds/wrong-manifests.yaml): each sentence of ours names what to write instead, and no second one misleads.
import { readFile } from 'node:fs/promises';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { groupVersion } from '../../src/policy/resources.ts';
import { mergePatch, type SentObject } from '../simulation/kube/sent-object.ts';
import { type ApiAnswer, openKubeRequests } from '../support/rigs/kube-requests.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

interface Mistake {
  readonly mistake: string;
  readonly change: SentObject;
  /** The stored object that the change is made to; without one the manifest is new. */
  readonly edits?: string;
  /** The lines that kubectl prints. */
  readonly says: readonly string[];
}

interface Table {
  readonly bases: Readonly<Record<string, SentObject>>;
  readonly mistakes: Readonly<Record<string, readonly Mistake[]>>;
  /** Manifests that fail before a schema sees them. */
  readonly files: readonly { readonly mistake: string; readonly manifest: string; readonly says: string }[];
}

const tableFile = new URL('../fixtures/crds/wrong-manifests.yaml', import.meta.url);
const { bases, mistakes, files } = parse(await readFile(tableFile, 'utf8')) as Table;

const tooLong: readonly Mistake[] = [
  {
    mistake: 'the scope is too long',
    change: { spec: { scope: 'x'.repeat(513) } },
    says: ['spec.scope: Too long: may not be more than 512 bytes'],
  },
  {
    mistake: '65 alerts',
    change: {
      spec: { alerts: Array.from({ length: 65 }, (_, index) => ({ name: `Alert${index}`, state: 'Active' })) },
    },
    says: ['spec.alerts: Too many: 65: must have at most 64 items'],
  },
  {
    mistake: 'the name of an alert is too long',
    change: { spec: { alerts: [{ name: 'x'.repeat(257), state: 'Active' }] } },
    says: ['spec.alerts[0].name: Too long: may not be more than 256 bytes'],
  },
];

/** What Kubernetes adds when a wrong type, an unknown word or a missing field kept it from evaluating the rules. */
const incomplete =
  '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** As kubectl prints it: one line for each cause, or the message. */
function linesOf({ body }: ApiAnswer): string[] {
  const causes = body?.details?.causes ?? [];
  const lines = causes.map(({ field, message }) => `${field}: ${message}`);
  return lines.length === 0 ? [String(body?.message)] : lines.filter((line) => line !== incomplete);
}

const dismissal = { scope: 'subscriptions/a', alert: 'Owners', policy: 'team/owners', since: '2026-11-21T08:00:00Z' };

describeWithControlPlane('a wrong manifest', (controlPlane) => {
  const api = openKubeRequests(controlPlane);
  let namespace: string;
  const collection = (plural: string) =>
    `${plural === 'secrets' ? '/api/v1' : `/apis/${groupVersion}`}/namespaces/${namespace}/${plural}`;
  const changed = (plural: string, change: SentObject) => mergePatch(bases[plural] ?? {}, change) as SentObject;

  beforeAll(async () => {
    namespace = await controlPlane.newNamespace();
    await api.send('POST', collection('rolealertpolicies'), bases['rolealertpolicies']);
    const dismissing = changed('rolealertconnections', { metadata: { name: 'dismissing' } });
    await api.send('POST', collection('rolealertconnections'), dismissing);
    const status = { dismissals: [dismissal] };
    await api.send('PATCH', `${collection('rolealertconnections')}/dismissing/status`, { status });
  });
  afterAll(() => api.stop());

  /** As kubectl sends it. */
  const attempt = (plural: string, { change, edits }: Mistake) => {
    const query = 'dryRun=All&fieldValidation=Strict';
    if (edits !== undefined) return api.send('PATCH', `${collection(plural)}/${edits}?${query}`, change);
    const wrong = mergePatch(changed(plural, { metadata: { name: 'wrong' } }), change);
    return api.send('POST', `${collection(plural)}?${query}`, wrong);
  };

  describe.each(Object.entries(mistakes))('of %s', (plural, rows) => {
    const all = plural === 'rolealertpolicies' ? [...rows, ...tooLong] : rows;
    test.each(all)('is refused in these words: $mistake', async (row) => {
      const answer = await attempt(plural, row);
      expect({ isRefused: answer.status >= 400, says: linesOf(answer) }).toEqual({ isRefused: true, says: row.says });
    });

    test('is accepted without the mistake', async () => {
      const right = changed(plural, { metadata: { name: 'right' } });
      const answer = await api.send('POST', `${collection(plural)}?dryRun=All&fieldValidation=Strict`, right);
      expect(answer).toMatchObject({ status: 201 });
    });
  });

  test.each(files)('is refused by kubectl in these words: $mistake', async ({ manifest, says }) => {
    const args = ['apply', '--dry-run=server', '--namespace', namespace, '-f', '-'];
    const { exitCode, stderr } = await controlPlane.tryKubectl(args, { input: manifest });
    expect({ exitCode, says: stderr.trim() }).toEqual({ exitCode: 1, says: says.trim() });
  });
});

test('a mistake gets one line, except where Kubernetes adds another of its own', () => {
  const several = Object.values(mistakes)
    .flat()
    .filter(({ says }) => says.length > 1);
  expect(several.map(({ mistake }) => mistake)).toEqual([
    'alerts is a list of names',
    'one alert twice',
    'the state is off (YAML reads it as false)',
    'deactivation is true',
  ]);
});
