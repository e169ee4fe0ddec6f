// The tables of the data file. The stores that use them define the meaning of the rows.

/** Each migration upgrades the tables from the version of its index to the next one. Only append; never edit one. */
export const migrations: readonly string[] = [
  `CREATE TABLE scope (
     scope_key TEXT PRIMARY KEY
   ) STRICT, WITHOUT ROWID;
   -- What an update changes. Kept apart from the document, so that an update never rewrites a large one.
   CREATE TABLE alert (
     position INTEGER PRIMARY KEY AUTOINCREMENT,
     scope_key TEXT NOT NULL REFERENCES scope ON DELETE CASCADE,
     alert_key TEXT NOT NULL,
     is_active INTEGER NOT NULL,
     system_data TEXT,
     UNIQUE (scope_key, alert_key)
   ) STRICT;
   CREATE INDEX alert_page ON alert (scope_key, position);
   -- The rest of the alert as JSON text without the outer braces: its members, and the members of its properties.
   CREATE TABLE document (
     position INTEGER PRIMARY KEY REFERENCES alert ON DELETE CASCADE,
     members TEXT NOT NULL,
     properties TEXT NOT NULL
   ) STRICT;
   CREATE TABLE token (
     hash BLOB NOT NULL UNIQUE,
     client_id TEXT NOT NULL,
     expires_at_ms INTEGER NOT NULL
   ) STRICT;`,
  // Tokens are signed from here on. The old ones were valid for an hour; their clients request new ones.
  `DROP TABLE token;
   CREATE TABLE signing_key (
     id TEXT PRIMARY KEY,
     jwk TEXT NOT NULL,
     created_at_ms INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE used_assertion (
     client_id TEXT NOT NULL,
     jti TEXT NOT NULL,
     ends_at_s INTEGER NOT NULL,
     PRIMARY KEY (client_id, jti)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX used_assertion_end ON used_assertion (ends_at_s);`,
  `CREATE TABLE scanned_scope (
     scope_key TEXT PRIMARY KEY
   ) STRICT, WITHOUT ROWID;`,
  `CREATE TABLE certificate (
     id INTEGER PRIMARY KEY CHECK (id = 1),
     hosts TEXT NOT NULL,
     authority TEXT NOT NULL,
     certificate TEXT NOT NULL,
     key TEXT NOT NULL,
     ends_at_ms INTEGER NOT NULL
   ) STRICT;`,
  // Null in the rows of earlier versions until their next change: computing them here would rewrite the whole file, and would take for good
  // what is already damaged.
  `ALTER TABLE alert ADD COLUMN checksum INTEGER;
   ALTER TABLE document ADD COLUMN checksum INTEGER;`,
  `CREATE TABLE audit (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     at_ms INTEGER NOT NULL,
     action TEXT NOT NULL,
     actor_type TEXT NOT NULL,
     actor TEXT NOT NULL,
     client_address TEXT,
     request_id TEXT,
     scope_key TEXT,
     alert_key TEXT,
     was_active INTEGER,
     is_active INTEGER
   ) STRICT;
   CREATE INDEX audit_scope ON audit (scope_key, id);
   CREATE INDEX audit_time ON audit (at_ms);`,
  `-- What a user has delegated to a client by signing in.
   CREATE TABLE delegation (
     id TEXT PRIMARY KEY,
     client_id TEXT NOT NULL,
     user_name TEXT NOT NULL,
     scopes TEXT NOT NULL,
     code_hash TEXT NOT NULL UNIQUE,
     code_challenge TEXT NOT NULL,
     redirect_uri TEXT NOT NULL,
     is_code_used INTEGER NOT NULL,
     ends_at_ms INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX delegation_end ON delegation (ends_at_ms);
   CREATE TABLE refresh_token (
     hash TEXT PRIMARY KEY,
     delegation_id TEXT NOT NULL REFERENCES delegation ON DELETE CASCADE,
     generation INTEGER NOT NULL,
     is_used INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX refresh_token_generation ON refresh_token (delegation_id, generation);
   -- By the id of an access token, or of the delegation that it was made of.
   CREATE TABLE revoked_token (
     id TEXT PRIMARY KEY,
     revoked_at_ms INTEGER NOT NULL,
     ends_at_ms INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX revoked_token_time ON revoked_token (revoked_at_ms);
   CREATE INDEX revoked_token_end ON revoked_token (ends_at_ms);`,
  `CREATE TABLE setting (
     name TEXT PRIMARY KEY,
     value TEXT NOT NULL
   ) STRICT, WITHOUT ROWID;`,
  // Null in the sign-ins of earlier versions, which then end after a week.
  'ALTER TABLE delegation ADD COLUMN password_mark TEXT;',
  // Callers that succeeded at an address, by a hash.
  `CREATE TABLE known_caller (
     key TEXT PRIMARY KEY,
     at_ms INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX known_caller_time ON known_caller (at_ms);`,
];
