// What a client trusts in place of a secret or keys of its own: tokens of one subject of an issuer, such as a ServiceAccount of a
// cluster (workload identity federation). The keys that verify them are the issuer's, and change without a change here.

export interface FederatedTrust {
  /** The `iss` of its tokens. */
  readonly issuer: string;
  /** The `sub`, `system:serviceaccount:NAMESPACE:NAME` for a ServiceAccount. */
  readonly subject: string;
  /** The only `aud`. */
  readonly audience: string;
  readonly keys: KeySource;
}

/** Where the issuer publishes its keys (JWKS, RFC 7517 section 5). Paths are absolute. */
export type KeySource = KeyFile | KeyURL;

interface KeyFile {
  readonly file: string;
}

export interface KeyURL {
  /** With https. */
  readonly url: string;
  /** PEM. Without it, the CAs of Node are trusted. */
  readonly caFile?: string;
  /** A bearer token for the request. */
  readonly tokenFile?: string;
}
