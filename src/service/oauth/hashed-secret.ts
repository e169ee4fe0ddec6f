// Secrets and passwords that a registration holds as a hash: scrypt in the PHC string format, as `rolealerts serve hash` prints it. Such a
// file reveals no secret, but every check costs a derivation, so its cost has bounds.
import { randomBytes, scrypt } from 'node:crypto';

export interface ScryptCost {
  /** Logarithm of N to the base 2. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

export interface HashedSecret {
  readonly cost: ScryptCost;
  readonly salt: Uint8Array;
  readonly key: Uint8Array;
}

/** One of the equivalent choices of the OWASP Password Storage Cheat Sheet: 16 MiB for each check. */
export const standardCost: ScryptCost = { ln: 14, r: 8, p: 5 };

/** For passwords that are known as text: what Node derives by default. */
export const plainCost: ScryptCost = { ln: 14, r: 8, p: 1 };

const keyBytes = 32;
const saltBytes = { least: 16, most: 64 } as const;

/** Memory of one derivation. Two run at a time. */
const mostMemoryBytes = 64 * 1024 * 1024;

/** Products of N, r and p. The least is that of `plainCost`. */
const work = { least: 2 ** 17, most: 2 ** 20 } as const;

/** A new hash of the secret. */
export async function hashNewSecret(secret: string, salt: Uint8Array = randomBytes(saltBytes.least)): Promise<string> {
  const { ln, r, p } = standardCost;
  const key = await deriveKey(secret, { cost: standardCost, salt });
  return `$scrypt$ln=${ln},r=${r},p=${p}$${toBase64(salt)}$${toBase64(key)}`;
}

/** The hash, or its problem, which repeats nothing of it. */
export function parseHashedSecret(text: string): HashedSecret | { readonly problem: string } {
  const [, ln, r, p, salt = '', key = ''] =
    /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(text) ?? [];
  const parsed = {
    cost: { ln: Number(ln), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64'),
    key: Buffer.from(key, 'base64'),
  };
  const isWhole = parsed.salt.length >= saltBytes.least && parsed.salt.length <= saltBytes.most;
  if (!isWhole || parsed.key.length !== keyBytes)
    return { problem: 'must be a hash that rolealerts serve hash prints' };
  return isAffordable(parsed.cost)
    ? parsed
    : { problem: 'has a cost out of bounds: hash it with rolealerts serve hash' };
}

function isAffordable({ ln, r, p }: ScryptCost): boolean {
  const product = 2 ** ln * r * p;
  return product >= work.least && product <= work.most && memoryBytes({ ln, r }) <= mostMemoryBytes;
}

/** On a thread of Node's pool. */
export function deriveKey(secret: string, { cost, salt }: Pick<HashedSecret, 'cost' | 'salt'>): Promise<Uint8Array> {
  const { ln, r, p } = cost;
  // The limit must exceed the memory by the blocks of the p lanes.
  const maxmem = memoryBytes(cost) * 2;
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, keyBytes, { N: 2 ** ln, r, p, maxmem }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

export function isSameCost(one: ScryptCost, other: ScryptCost): boolean {
  return one.ln === other.ln && one.r === other.r && one.p === other.p;
}

function memoryBytes({ ln, r }: Pick<ScryptCost, 'ln' | 'r'>): number {
  return 128 * 2 ** ln * r;
}

/** The PHC string format leaves out the padding. */
function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '');
}
