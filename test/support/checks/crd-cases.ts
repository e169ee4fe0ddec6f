// The cases of the CRDs' rules and bounds in test/fixtures/crds, for every validator that has to agree on them.
import { readFileSync } from 'node:fs';

import { parse } from 'yaml';

import type { SentObject } from '../../simulation/kube/sent-object.ts';

export interface CrdCase {
  /** Path of the rule in the schema and its number there; absent for a bound of the schema itself. */
  readonly rule?: string;
  /** Where the refusal is reported, when that is not the rule's own path. */
  readonly field?: string;
  /** Part of the sentence. Absent where it is in Kubernetes' own words. */
  readonly says?: string;
  /** The rule compares with what was there before. */
  readonly onUpdate?: boolean;
  /** Likewise, and the object has this status. */
  readonly status?: SentObject;
  readonly refused: readonly SentObject[];
  readonly accepted: readonly SentObject[];
}

export interface CrdCaseFile {
  readonly base: SentObject;
  readonly rules: readonly CrdCase[];
  readonly bounds: readonly CrdCase[];
}

export interface CrdCases {
  readonly plural: string;
  readonly isCluster: boolean;
  readonly cases: CrdCaseFile;
}

/** Of every custom resource. */
export const crdCases: readonly CrdCases[] = [
  { plural: 'rolealertpolicies', isCluster: false, cases: readCases('policy') },
  { plural: 'rolealertconnections', isCluster: false, cases: readCases('connection') },
  { plural: 'clusterrolealertconnections', isCluster: true, cases: readCases('cluster-connection') },
];

export const titleOfCase = ({ rule, field }: CrdCase) => rule ?? `the bound of ${field}`;

/** The field at which a refusal is reported. */
export const fieldOfCase = ({ rule, field }: CrdCase) => field ?? rule?.split('/')[0] ?? '';

function readCases(kind: string): CrdCaseFile {
  return parse(readFileSync(new URL(`../../fixtures/crds/${kind}-cases.yaml`, import.meta.url), 'utf8')) as CrdCaseFile;
}
