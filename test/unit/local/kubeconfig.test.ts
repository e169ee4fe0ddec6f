import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { SecretText } from '../../../src/lib/secret-text.ts';
import { renderKubeconfig, writePrivateFile } from '../../../src/local/control-plane-programs.ts';
import { testMachine } from '../../support/rigs/local-machine.ts';

const facts = { url: 'https://127.0.0.1:1', certificateAuthority: 'PEM', token: new SecretText('s3cret') };

test('a kubeconfig holds the authority and the token, and never turns verification off', () => {
  const text = renderKubeconfig(facts);
  const config = parse(text) as { clusters: { cluster: object }[]; users: { user: object }[] };
  expect(config.clusters[0]?.cluster).toEqual({
    server: 'https://127.0.0.1:1',
    'certificate-authority-data': Buffer.from('PEM').toString('base64'),
  });
  expect(config.users[0]?.user).toEqual({ token: 's3cret' });
  expect(text).not.toContain('insecure');
});

test('a kubeconfig can impersonate another user', () => {
  const text = renderKubeconfig({ ...facts, impersonate: { user: 'jane', groups: ['readers'] } });
  const config = parse(text) as { users: { user: object }[] };
  expect(config.users[0]?.user).toEqual({ token: 's3cret', as: 'jane', 'as-groups': ['readers'] });
});

test('a private file is readable by its owner only, also where a public one was', async () => {
  const path = join(testMachine().directory, 'deep', 'kubeconfig');
  await writePrivateFile(path, 'one');
  writeFileSync(path, 'public');
  chmodSync(path, 0o644);
  await writePrivateFile(path, 'two');
  expect(readFileSync(path, 'utf8')).toBe('two');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
