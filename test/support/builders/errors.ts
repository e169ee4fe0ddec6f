// Every error code of every edge, so that tests can go over all of them, and an error with a given code.
import { AlertsError, type AlertsErrorCode } from '../../../src/alerts/alerts-error.ts';
import { LocalError, UsageError } from '../../../src/lib/command-errors.ts';
import { type CodedError, type ErrorFacts, StoppedError } from '../../../src/lib/errors.ts';
import { ReadingError, type ReadingErrorCode } from '../../../src/operator/alert-client/service-way.ts';
import { ControllerError, type ControllerErrorCode } from '../../../src/operator/controller-error.ts';
import { KubeError, type KubeErrorCode } from '../../../src/operator/kube/kube-error.ts';
import { DataFileError } from '../../../src/service/database/data-file-error.ts';
import { DatabaseError, type DatabaseCode } from '../../../src/service/database/database-error.ts';
import { IssuerKeysError } from '../../../src/service/oauth/token/issuer-keys.ts';
import { ScanError } from '../../../src/service/scanner/cluster-source.ts';

type Edge<Code extends string> = Readonly<Record<Code, true>>;

const alerts: Edge<AlertsErrorCode> = {
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
};

const kube: Edge<KubeErrorCode> = {
  'kube-conflict': true,
  'kube-gone': true,
  'kube-not-found': true,
  'kube-denied': true,
  'kube-invalid': true,
  'kube-unreachable': true,
};

const controller: Edge<ControllerErrorCode> = {
  'plan-outdated': true,
  'not-leading': true,
  'limit-reached': true,
  'object-missing': true,
};

const reading: Edge<ReadingErrorCode> = { 'read-timeout': true, 'read-failed': true };

/** The classes with one code. */
const single = { stopped: StoppedError, usage: UsageError, local: LocalError } as const;

const database: Edge<DatabaseCode> = { 'database-away': true, 'database-busy': true };

const dataFile: Edge<DataFileError['code']> = {
  'data-file-full': true,
  'data-file-damaged': true,
  'data-file-failed': true,
  'data-file-lost': true,
};

const scan: Edge<ScanError['code']> = { 'bad-answer': true };

const issuerKeys: Edge<IssuerKeysError['code']> = { 'keys-unavailable': true };

export type ErrorCode =
  | AlertsErrorCode
  | KubeErrorCode
  | ControllerErrorCode
  | ReadingErrorCode
  | DatabaseCode
  | DataFileError['code']
  | ScanError['code']
  | IssuerKeysError['code']
  | keyof typeof single;

export const errorCodes = Object.keys({
  ...alerts,
  ...kube,
  ...controller,
  ...reading,
  ...database,
  ...dataFile,
  ...scan,
  ...issuerKeys,
  ...single,
}) as readonly ErrorCode[];

/** An error of the edge to which the code belongs. */
export function errorOf(code: AlertsErrorCode, message: string, facts?: ErrorFacts): AlertsError;
export function errorOf(code: ErrorCode, message: string, facts?: ErrorFacts): CodedError;
export function errorOf(code: ErrorCode, message: string, facts?: ErrorFacts): CodedError {
  if (isOf(alerts, code)) return new AlertsError(code, message, facts);
  if (isOf(kube, code)) return new KubeError(code, message, facts);
  if (isOf(controller, code)) return new ControllerError(code, message, facts);
  if (isOf(reading, code)) return new ReadingError(code, message, facts);
  if (isOf(database, code)) return new DatabaseError(code, message);
  if (isOf(dataFile, code)) return new DataFileError(code, message, facts);
  if (isOf(scan, code)) return new ScanError(code, message, facts);
  if (isOf(issuerKeys, code)) return new IssuerKeysError(code, message, facts);
  return new single[code](message, facts);
}

function isOf<Code extends string>(edge: Edge<Code>, code: string): code is Code {
  return Object.hasOwn(edge, code);
}
