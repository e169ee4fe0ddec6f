// Which policies an edit selects, and how it is sent.
import { describe, expect, test } from 'vitest';

import type { ClusterPlace } from '../../../../src/commands/cluster/cluster-place.ts';
import { type PolicyEditRun, runPolicyEdit } from '../../../../src/commands/cluster/run-policy-edit.ts';
import { type PolicySelection, selectPolicies } from '../../../../src/commands/cluster/select-policies.ts';
import { KubeError } from '../../../../src/operator/kube/kube-error.ts';
import { policy } from '../../../support/builders/objects.ts';
import { type FakeAnswers, fakeApiServer } from '../../../support/rigs/fake-api-server.ts';

const collection = '/apis/rolealerts.dev/v1alpha1/namespaces/team/rolealertpolicies';
const none: PolicySelection = { names: [], all: false, selector: undefined };

function place(answers: FakeAnswers, namespace: string | undefined = 'team') {
  const notes: string[] = [];
  const transport = fakeApiServer(answers);
  const { signal } = new AbortController();
  const where: ClusterPlace = { transport, namespace, signal, note: (sentence) => void notes.push(sentence) };
  return { where, notes, transport };
}

describe('a selection', () => {
  test('by name reads each policy once', async () => {
    const { where, transport } = place({ [`${collection}/owners`]: policy() });
    const selected = await selectPolicies(where, { ...none, names: ['owners', 'rap/owners'] });
    expect(selected.map(({ metadata }) => metadata.name)).toEqual(['owners']);
    expect(transport.requests).toHaveLength(1);
  });

  test('by label is the API server’s', async () => {
    const { where, transport } = place({ [collection]: [policy()] });
    expect(await selectPolicies(where, { ...none, selector: 'team=a' })).toHaveLength(1);
    expect(transport.requests.map(({ path }) => path)).toEqual([`${collection}?limit=500&labelSelector=team%3Da`]);
  });

  test.each([
    [none, 'Name at least one policy, or use --all or --selector.'],
    [{ ...none, names: ['a'], all: true }, 'Name the policies, or use --all or --selector, but not both.'],
    [{ ...none, names: ['rac/prod'] }, 'rac/prod is not a policy: write NAME or rap/NAME.'],
    [{ ...none, names: ['other'] }, 'There is no policy team/other: check --namespace and --context.'],
  ])('fails with the fix: %j', async (selection, message) => {
    await expect(selectPolicies(place({}).where, selection)).rejects.toThrow(message);
  });

  test('of names in all namespaces fails', async () => {
    const { where } = place({});
    const everywhere = { ...where, namespace: undefined };
    await expect(selectPolicies(everywhere, { ...none, names: ['a'] })).rejects.toThrow(
      'use --all or --selector instead',
    );
  });
});

describe('an edit', () => {
  const run: PolicyEditRun = {
    edit: { kind: 'resume' },
    selection: none,
    noteOf: () => undefined,
    waitMs: undefined,
    print: () => undefined,
  };

  test('patches the policy that was read, whichever version is stored now', async () => {
    const { where, transport } = place({ [`${collection}/owners`]: policy() });
    expect(await runPolicyEdit(where, { ...run, selection: { ...none, names: ['owners'] } })).toBe(true);
    const patch = transport.requests[1];
    expect(patch?.path).toBe(`${collection}/owners?fieldManager=rolealerts-cli`);
    expect(patch?.contentType).toBe('application/merge-patch+json');
    expect(JSON.parse(patch?.body ?? '')).toEqual({
      metadata: { uid: 'uid-owners' },
      spec: { suspend: false, suspendUntil: null },
    });
  });

  test('of many goes on after the refusal of one, which a note names', async () => {
    const { where, notes } = place({
      [collection]: [policy({ name: 'a' }), policy({ name: 'b' })],
      [`${collection}/a`]: () => {
        throw new KubeError('kube-invalid', 'The API server rejected it.', { detail: 'frozen.' });
      },
      [`${collection}/b`]: policy({ name: 'b' }),
    });
    const printed: string[] = [];
    const isDone = await runPolicyEdit(where, {
      ...run,
      edit: { kind: 'suspend' },
      selection: { ...none, all: true },
      noteOf: ({ metadata }) => `note on ${metadata.name}.`,
      print: (text) => void printed.push(text),
    });
    expect(isDone).toBe(false);
    expect(printed).toEqual(['policy team/b suspended\n']);
    expect(notes).toEqual([
      'note on a.',
      'note on b.',
      'policy team/a was not changed: The API server rejected it. frozen.',
    ]);
  });
});
