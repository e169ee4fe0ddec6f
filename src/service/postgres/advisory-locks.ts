// The advisory locks that the processes of one schema share. PostgreSQL ends a lock with its transaction or its connection, so a killed
// process holds none.

/** The first number is the same for all processes of one schema, and hardly for anything else in the database. */
const inSchema = "hashtext('rolealerts ' || current_schema())";

/** Held while the tables are created or upgraded, until the transaction ends. */
export const lockMigration = `SELECT pg_advisory_xact_lock(${inSchema}, 1)`;

/** Held during a scan. */
export const tryLockScan = `SELECT pg_try_advisory_lock(${inSchema}, 2)::integer AS locked`;
export const unlockScan = `SELECT pg_advisory_unlock(${inSchema}, 2)`;
