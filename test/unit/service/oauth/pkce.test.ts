import { expect, test } from 'vitest';

import { isChallenge, isVerifierOf } from '../../../../src/service/oauth/pkce.ts';

// Appendix B of RFC 7636.
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

test.each<[string, string, string | undefined, boolean]>([
  ['the pair of RFC 7636', challenge, verifier, true],
  ['another verifier', challenge, verifier.replace('d', 'e'), false],
  ['the challenge itself', challenge, challenge, false],
  ['no verifier', challenge, undefined, false],
  ['a short verifier', 'JBbiqONGWPaAmwXk_8bT6UnlPfrn65D32eZlJS-zGG0', 'short', false],
  ['an empty challenge', '', verifier, false],
])('%s', (_, of, given, isRight) => expect(isVerifierOf(of, given)).toBe(isRight));

test.each([
  [challenge, true],
  ['', false],
  [`${challenge}=`, false],
  [challenge.replace('-', '+'), false],
  [challenge.slice(1), false],
])('%j is a challenge: %j', (text, isOne) => expect(isChallenge(text)).toBe(isOne));
