// What people write: durations, options, seed files, kubeconfigs. A value, or one sentence about what is wrong.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';

import { serveOptions } from '../../../../src/commands/serve.ts';
import { formatDuration, parseDuration } from '../../../../src/lib/duration.ts';
import { CodedError } from '../../../../src/lib/errors.ts';
import type { Option } from '../../../../src/lib/options/option.ts';
import { loadKubeconfig } from '../../../../src/operator/kube/kubeconfig.ts';
import { controllerOptions } from '../../../../src/operator/manager/controller-options.ts';
import { decodeSeed, parseSeedText } from '../../../../src/service/alerts/seed.ts';
import { awkwardText, fuzz, mutated } from '../../../support/builders/mutate-json.ts';

it('a duration comes back as it was printed, and any other text is none or a number', () => {
  fc.assert(
    fc.property(fc.nat({ max: 1_000_000_000 }), awkwardText, (durationMs, text) => {
      expect(parseDuration(formatDuration(durationMs))).toBe(durationMs);
      expect(parseDuration(text) ?? 0).toBeGreaterThanOrEqual(0);
    }),
    fuzz(500),
  );
});

it('every text of every option is a value or says what is expected', () => {
  const options: Option<unknown>[] = [...Object.values(controllerOptions), ...Object.values(serveOptions)];
  fc.assert(
    fc.property(fc.constantFrom(...options), fc.array(awkwardText, { minLength: 1, maxLength: 3 }), (option, texts) => {
      const parsed = option.parse(texts);
      expect('value' in parsed || parsed.expected !== '').toBe(true);
    }),
    fuzz(1000),
  );
});

/** As the file would be written, or nothing for what no YAML can hold. */
function yamlOf(document: unknown): string {
  try {
    return stringify(document) || '';
  } catch {
    return '';
  }
}

function sentenceOf(work: () => unknown): string {
  try {
    work();
    return 'usage';
  } catch (error) {
    if (error instanceof CodedError) return error.code;
    throw error;
  }
}

it('a seed file that is nearly right is loaded or refused in a sentence', () => {
  const seedFile = {
    scopes: {
      'subscriptions/a': { value: [{ name: 'A', properties: { isActive: true, alertIncidents: [{ name: 'i' }] } }] },
    },
  };
  const place = { providerNamespace: 'V.A', nowMs: 0 };
  fc.assert(
    fc.property(
      fc.oneof(
        mutated(seedFile).map(yamlOf),
        awkwardText,
        fc.string().map((text) => `a: &a [*a, ${text}]`),
      ),
      (text) => {
        expect(sentenceOf(() => [...decodeSeed(parseSeedText(text, 'seed.yaml'), 'seed.yaml', place)])).toBe('usage');
      },
    ),
    fuzz(300),
  );
});

it('a kubeconfig that is nearly right is used or refused in a sentence', () => {
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a', namespace: 'team' } }],
    clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:1', 'certificate-authority-data': 'Zm9v' } }],
    users: [{ name: 'a', user: { token: 't', tokenFile: 'token' } }],
  };
  const directory = mkdtempSync(join(tmpdir(), 'rolealerts-fuzz-'));
  const path = join(directory, 'config');
  try {
    fc.assert(
      fc.property(mutated(kubeconfig).map(yamlOf), (text) => {
        writeFileSync(path, text);
        expect(sentenceOf(() => loadKubeconfig({ path, environment: {} }))).toBe('usage');
      }),
      fuzz(200),
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
});
