// Every error code, so that tests can go over all of them.
import type { ErrorCode } from '../../../src/lib/errors.ts';

const codes: Readonly<Record<ErrorCode, true>> = {
  'service-rejected': true,
  'scope-not-found': true,
  'scope-forbidden': true,
  'alert-refused': true,
  'service-denied': true,
  'service-busy': true,
  'service-unreachable': true,
  'service-protocol': true,
  'credential-missing': true,
  'credential-not-allowed': true,
  'token-endpoint-failed': true,
  'tls-failed': true,
  'endpoint-invalid': true,
  'plan-outdated': true,
  'kube-conflict': true,
  'kube-gone': true,
  'kube-not-found': true,
  'kube-denied': true,
  'kube-invalid': true,
  'kube-unreachable': true,
  stopped: true,
  usage: true,
  local: true,
};

export const errorCodes = Object.keys(codes) as readonly ErrorCode[];
