// Every rule of the custom resources, on the simulated API server: it rejects what the real one rejects, and accepts what that
// accepts. The cases are those of the cluster tier (test/cluster/crds-rules.test.ts).
import { describe, expect, test } from 'vitest';

import { seededRandom } from '../../src/lib/random.ts';
import { VirtualTime } from '../simulation/engine/virtual-time.ts';
import { SimApiServer } from '../simulation/kube/api-server.ts';
import { createNamespace } from '../simulation/kube/namespaces.ts';
import { Refusal } from '../simulation/kube/object.ts';
import { readResources } from '../simulation/kube/resources.ts';
import { mergePatch, type SentObject } from '../simulation/kube/sent-object.ts';
import { crdCases, type CrdCase, titleOfCase } from '../support/checks/crd-cases.ts';

const resources = await readResources();

describe.each(crdCases)('the simulated API server and $plural', ({ plural, cases: { base, rules, bounds } }) => {
  /** `taken`, or the status of the refusal. */
  const attempt = ({ onUpdate, status }: CrdCase, change: SentObject): unknown => {
    const api = new SimApiServer({ time: new VirtualTime(), random: seededRandom(1), resources });
    createNamespace(api, 'team');
    const resource = api.resource(plural);
    const namespace = resource.isNamespaced ? 'team' : undefined;
    api.writes.create(resource, namespace, base);
    if (status) api.writes.mergePatch(resource, namespace, 'base', { status }, 'status');
    const tried = mergePatch(mergePatch(base, change), { metadata: { name: 'tried' } }) as SentObject;
    try {
      if (onUpdate || status) api.writes.mergePatch(resource, namespace, 'base', change);
      else api.writes.create(resource, namespace, tried);
      return 'taken';
    } catch (error) {
      if (error instanceof Refusal) return error.status;
      throw error;
    }
  };

  const all = [...rules, ...bounds].map((one) => ({ one, title: titleOfCase(one) }));

  test.each(all)('$title is as in a real one', ({ one }) => {
    const { refused, accepted } = one;
    const results = [...refused, ...accepted].map((change) => ({ change, is: attempt(one, change) }));
    const wanted = [
      ...refused.map((change) => ({ change, is: 422 })),
      ...accepted.map((change) => ({ change, is: 'taken' })),
    ];
    expect(results).toEqual(wanted);
  });
});
