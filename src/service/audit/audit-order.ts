// The order of the records of the audit trail, so that a reader that goes from page to page misses none.

/** Parts of a statement. `$1` and `$2` are the position after which the page begins. */
export interface AuditOrder {
  /** Expression of the first part of a position; the id is the second part. */
  readonly commitOrder: string;
  /** True for the records after the position that no earlier one can join any more. */
  readonly isAfter: string;
  readonly orderBy: string;
}

/** One connection writes all records of a data file, so their ids are in the order in which they become visible. */
export const orderByID: AuditOrder = { commitOrder: '0', isAfter: '$1 = 0 AND id > $2', orderBy: 'id' };
