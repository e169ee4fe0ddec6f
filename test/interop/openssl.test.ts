// The self-signed certificate under OpenSSL's strict verification. Skipped where there is no such program.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { makeSelfSigned } from '../../src/service/tls/self-signed.ts';

const openssl = 'openssl';
const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

test.skipIf(spawnSync(openssl, ['version']).status !== 0)('satisfies OpenSSL where it is strict', async () => {
  const made = await makeSelfSigned(['::1', '127.0.0.1', 'alerts.example', 'localhost'], nowMs);
  const folder = mkdtempSync(join(tmpdir(), 'rolealerts-certificate-'));
  writeFileSync(join(folder, 'ca.crt'), made.authority);
  writeFileSync(join(folder, 'tls.crt'), made.certificate);
  const checks = ['-x509_strict', '-check_ss_sig', '-purpose', 'sslserver', '-verify_hostname', 'localhost'];
  const args = ['verify', ...checks, '-attime', String(Math.floor(nowMs / 1000)), '-CAfile', 'ca.crt', 'tls.crt'];
  try {
    expect(execFileSync(openssl, args, { cwd: folder, encoding: 'utf8' })).toBe('tls.crt: OK\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
