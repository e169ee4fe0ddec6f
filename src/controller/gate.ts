// Whether the scopes of one connection may look: a state, and what each look does to it. Two things close the gate: a credential or
// an address that cannot be used, at once, and a service that is not reached five times in a row (the circuit). Any answer opens it.
// Pure; when a probe goes out and what else a change brings about is connection-health.ts's.
import type { LookFailure } from '../plan/failures.ts';
import type { ConnectionReason } from '../plan/reasons.ts';

export type Gate = OpenGate | ClosedGate;

interface OpenGate {
  readonly isOpen: true;
  /** Requests in a row that did not reach the service: looks and PATCHes. */
  readonly unreached: number;
}

interface ClosedGate {
  readonly isOpen: false;
  readonly unreached: number;
  /** What every scope but the probe is told. */
  readonly failure: LookFailure;
  /** The one scope that may look, to find out whether it works again. */
  readonly probe: string | undefined;
  /** Monotonic; from then on a probe goes out even with the credential that was refused. */
  readonly slowProbeAtMs: number;
}

/** What a look found, `failure` undefined after a whole list. */
export interface Finding {
  readonly scope: string;
  readonly failure: LookFailure | undefined;
  readonly nowMs: number;
  /** How long a refused credential is left alone when nothing about it changes. */
  readonly slowProbeMs: number;
}

/** Requests in a row that did not reach the service, before the circuit opens. */
const opensAfter = 5;

export const openGate: OpenGate = { isOpen: true, unreached: 0 };

export function nextGate(gate: Gate, finding: Finding): Gate {
  const { failure, scope } = finding;
  if (failure?.pace === 'credential') return closedFor(gate, failure, finding);
  // Whatever else it was, it was an answer.
  if (failure?.connection !== 'Unreachable') return openGate;
  // Then only the probe counts: looks that were under way, and those of edits, tell nothing new.
  if (isCircuitOpen(gate) && !isProbedBy(gate, scope)) return gate;
  const unreached = gate.unreached + 1;
  if (unreached < opensAfter) return { ...gate, unreached };
  return closedCircuit(failure, unreached, finding.nowMs);
}

/** A PATCH that did not reach the service. It never opens the circuit by itself: the list that proves it tells more. */
export function afterUnreachedPatch(gate: Gate): Gate {
  return gate.isOpen ? { ...gate, unreached: gate.unreached + 1 } : gate;
}

export function afterAnsweredPatch(gate: Gate): Gate {
  return gate.isOpen ? openGate : gate;
}

/** True once it is not worth to send more without asking first whether the service is there. */
export function isInDoubt({ unreached }: Gate): boolean {
  return unreached >= opensAfter;
}

/** Lets one scope look. */
export function withProbe(gate: Gate, scope: string): Gate {
  return gate.isOpen ? gate : { ...gate, probe: scope };
}

export function isCircuitOpen(gate: Gate): gate is ClosedGate {
  return !gate.isOpen && gate.failure.connection === 'CircuitOpen';
}

/**
 * What the connection is said to be after a look. One scope that the service fails on does not make it unreachable: as many looks
 * in a row as it has scopes do, or five.
 */
export function healthAfter(
  gate: Gate,
  failure: LookFailure | undefined,
  facts: { readonly before: ConnectionReason | undefined; readonly scopes: number },
): ConnectionReason {
  if (failure?.connection !== 'Unreachable') return failure?.connection ?? 'Connected';
  if (isCircuitOpen(gate)) return 'CircuitOpen';
  return gate.unreached >= Math.min(opensAfter, facts.scopes) ? 'Unreachable' : (facts.before ?? 'Connected');
}

function isProbedBy(gate: Gate, scope: string): boolean {
  return !gate.isOpen && gate.probe === scope;
}

/** A refused credential is left alone for the time that was said first, and then again for as long. */
function closedFor(gate: Gate, failure: LookFailure, { nowMs, slowProbeMs }: Finding): ClosedGate {
  const isSame = !gate.isOpen && gate.failure.connection === failure.connection && nowMs < gate.slowProbeAtMs;
  const slowProbeAtMs = isSame ? gate.slowProbeAtMs : nowMs + slowProbeMs;
  return { isOpen: false, unreached: 0, failure, probe: undefined, slowProbeAtMs };
}

function closedCircuit(failure: LookFailure, unreached: number, nowMs: number): ClosedGate {
  const open: LookFailure = { ...failure, connection: 'CircuitOpen' };
  return { isOpen: false, unreached, failure: open, probe: undefined, slowProbeAtMs: nowMs };
}
