// One step of a trace, with what belongs to it.

export interface TraceStep {
  readonly kind: 'Policy' | 'Connection' | 'Credential' | 'Grant' | 'Scope' | 'Alert' | 'Writes' | 'Events' | 'Record';
  readonly name: string;
  /** Unknown: the API server does not show it to this person, or the operator has not decided it. */
  readonly state: 'Ok' | 'Blocked' | 'Unknown';
  readonly text: string;
  readonly children: readonly TraceStep[];
}
