// The tables of the data file. The stores that use them define the meaning of the rows.

/** The version of the tables. A file with another one is refused. */
export const tablesVersion = 1;

export const createTables = `
  CREATE TABLE scope (
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
    properties TEXT NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;
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
  CREATE INDEX used_assertion_end ON used_assertion (ends_at_s);
  CREATE TABLE authorization_code (
    hash TEXT PRIMARY KEY,
    client_id TEXT NOT NULL,
    user_name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    code_challenge TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    ends_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX authorization_code_end ON authorization_code (ends_at_ms);
  CREATE TABLE scanned_scope (
    scope_key TEXT PRIMARY KEY
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE certificate (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    hosts TEXT NOT NULL,
    authority TEXT NOT NULL,
    certificate TEXT NOT NULL,
    key TEXT NOT NULL,
    ends_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    action TEXT NOT NULL,
    actor_type TEXT NOT NULL,
    actor TEXT NOT NULL,
    client_id TEXT,
    client_address TEXT,
    request_id TEXT,
    scope_key TEXT,
    alert_key TEXT,
    was_active INTEGER,
    is_active INTEGER
  ) STRICT;
  CREATE INDEX audit_scope ON audit (scope_key, id);
  CREATE INDEX audit_time ON audit (at_ms);
  CREATE TABLE setting (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;`;
