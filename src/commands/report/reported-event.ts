// An event of the operator about an object, as the API server stores it.
export interface ReportedEvent {
  /** Of the object. */
  readonly uid: string;
  /** RFC 3339, UTC; the last time if count is above 1. */
  readonly at: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
  readonly count: number;
}
