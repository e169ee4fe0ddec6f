// Tokens that were handed out, by hash, so that they stay valid over a restart and cannot be read from the data file.
import type { DatabaseSync } from 'node:sqlite';

import { inTransaction } from './database.ts';

/** Live tokens kept per client; beyond it the oldest go, so a client in a loop cannot fill the disk. */
export const tokensPerClient = 1000;

interface StoredToken {
  readonly hash: Uint8Array;
  readonly clientID: string;
  readonly expiresAtMs: number;
}

export interface TokenStore {
  /** The client a live token belongs to; undefined when the token is unknown or expired. */
  readClient(hash: Uint8Array, nowMs: number): string | undefined;
  /** Keeps the token and drops the expired ones. */
  saveToken(token: StoredToken, nowMs: number): void;
}

export function createTokenStore(database: DatabaseSync): TokenStore {
  const read = database.prepare('SELECT client_id AS clientID FROM token WHERE hash = ? AND expires_at_ms > ?');
  const insert = database.prepare('INSERT INTO token (hash, client_id, expires_at_ms) VALUES (?, ?, ?)');
  const dropExpired = database.prepare('DELETE FROM token WHERE expires_at_ms <= ?');
  const dropSurplus = database.prepare(
    `DELETE FROM token WHERE rowid IN
       (SELECT rowid FROM token WHERE client_id = ? ORDER BY rowid DESC LIMIT -1 OFFSET ${tokensPerClient})`,
  );
  return {
    readClient: (hash, nowMs) => read.get(hash, nowMs)?.['clientID'] as string | undefined,
    saveToken({ hash, clientID, expiresAtMs }, nowMs) {
      inTransaction(database, () => {
        dropExpired.run(nowMs);
        insert.run(hash, clientID, expiresAtMs);
        dropSurplus.run(clientID);
      });
    },
  };
}
