// The consent of a Secret or a ServiceAccount to its use: without it, the author of a connection could make the operator use any of the
// namespace.
import { objectOf, ownMember } from '../lib/json-shape.ts';
import {
  credentialLabel,
  credentialLabelValue,
  federatedAudienceAnnotation,
  type ServiceAccountRef,
} from './resources.ts';

/** A label or an annotation with exactly this value. */
export interface Consent {
  readonly member: 'labels' | 'annotations';
  readonly key: string;
  readonly value: string;
}

export const secretConsent: Consent = { member: 'labels', key: credentialLabel, value: credentialLabelValue };

export function accountConsent({ audience }: Pick<ServiceAccountRef, 'audience'>): Consent {
  return { member: 'annotations', key: federatedAudienceAnnotation, value: audience };
}

/** `metadata`: of the object, as the API server or a manifest has it. Inherited members do not count. */
export function hasConsent(metadata: unknown, { member, key, value }: Consent): boolean {
  return ownMember(objectOf(ownMember(objectOf(metadata), member)), key) === value;
}

/** For messages: `the label rolealerts.dev/credential: "true"`. */
export function consentText({ member, key, value }: Consent): string {
  return `the ${member === 'labels' ? 'label' : 'annotation'} ${key}: "${value}"`;
}
