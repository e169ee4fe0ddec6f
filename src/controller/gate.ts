// Whether the scopes of one connection may be reconciled: a state, and what the end of each attempt does to it. Three things close the
// gate: an address or a credential that cannot be used, at once; a credential that the service refuses on two scopes in a row, on the
// only one, or on one again after another was tried in vain; and five attempts in a row that did not reach the service, on five scopes
// or on all there are (the circuit). A scope that fails alone has no say. Pure; when a trial goes out and what else a change brings
// about is connection-health.ts's.
import { type Ending, endingOf, type LookFailure } from '../plan/failures.ts';
import type { ConnectionReason } from '../plan/reasons.ts';

export type Gate = OpenGate | ClosedGate;

interface Counts {
  /** Requests in a row that did not reach the service: looks and PATCHes. */
  readonly unreached: number;
  /** The scopes of those requests, at most as many as open the circuit. */
  readonly failing: ReadonlySet<string>;
}

interface OpenGate extends Counts {
  readonly isOpen: true;
  /** The scope on which the service refused the credential, while no other scope has confirmed or disproved it. */
  readonly refused: string | undefined;
  /** True once another scope was tried since, and what came back says nothing about the credential. */
  readonly isTriedInVain: boolean;
}

interface ClosedGate extends Counts {
  readonly isOpen: false;
  /** What every scope but the probe is told. */
  readonly failure: LookFailure;
  /** The one scope that may look, to find out whether it works again. */
  readonly probe: string | undefined;
  /** Monotonic; from then on a probe goes out even with the credential that was refused. */
  readonly slowProbeAtMs: number;
  /** Probes that the service refused since the gate closed. */
  readonly refusals: number;
}

/** What a look found, `failure` undefined after a whole list. */
export interface Finding {
  readonly scope: string;
  readonly failure: LookFailure | undefined;
  /** The scope failed like this before, and since then the service served another one. */
  readonly isAlone: boolean;
  /** Scopes of the connection that do not fail alone. */
  readonly scopes: number;
  readonly nowMs: number;
  /** How long a refused credential is left alone when nothing about it changes. */
  readonly slowProbeMs: number;
}

/** Requests in a row that did not reach the service, before the circuit opens; on so many scopes, or on all if there are fewer. */
const opensAfter = 5;

const noCounts: Counts = { unreached: 0, failing: new Set() };

export const openGate: OpenGate = { isOpen: true, ...noCounts, refused: undefined, isTriedInVain: false };

const steps: Record<Ending, (gate: Gate, finding: Finding, failure: LookFailure) => Gate> = {
  listed: () => openGate,
  answered: () => openGate,
  garbled: afterOtherAnswer,
  busy: afterOtherAnswer,
  refused: afterRefusal,
  unusable: (gate, finding, failure) => closedFor(gate, failure, finding),
  unreached: afterUnreached,
};

export type GateEvent =
  /** A list, or a whole reconcile, ended. */
  | { readonly kind: 'AttemptEnded'; readonly finding: Finding }
  | { readonly kind: 'PatchAnswered' }
  /** It never opens the circuit by itself: the list that proves the PATCH says more. */
  | { readonly kind: 'PatchUnreached'; readonly scope: string }
  /** One scope may be listed, to find out whether the connection works again. */
  | { readonly kind: 'TrialBegun'; readonly scope: string }
  /** The scope need not be listed any more: whether the credential caused its refusal does not matter now. */
  | { readonly kind: 'ScopeLeft'; readonly scope: string }
  /** The spec of the connection changed: what was held against it no longer counts. */
  | { readonly kind: 'ConnectionChanged' };

/** The only way from state to state. */
export function stepGate(gate: Gate, event: GateEvent): Gate {
  switch (event.kind) {
    case 'AttemptEnded':
      return afterAttempt(gate, event.finding);
    case 'PatchAnswered':
      return gate.isOpen ? { ...gate, ...noCounts } : gate;
    case 'PatchUnreached':
      return gate.isOpen ? { ...gate, ...counted(gate, event.scope) } : gate;
    case 'TrialBegun':
      return gate.isOpen ? gate : { ...gate, probe: event.scope };
    case 'ScopeLeft':
      return withoutSuspect(gate, event.scope);
    case 'ConnectionChanged':
      return openGate;
  }
}

function afterAttempt(gate: Gate, finding: Finding): Gate {
  const { failure } = finding;
  return failure ? steps[endingOf(failure)](gate, finding, failure) : openGate;
}

/** Something answers there, but perhaps before it asks for the credential. */
function afterOtherAnswer(gate: Gate, { scope }: Finding): Gate {
  if (gate.isOpen) return { ...triedInVain(gate, scope), ...noCounts };
  return isRefused(gate) ? gate : openGate;
}

function afterRefusal(gate: Gate, finding: Finding, failure: LookFailure): Gate {
  const { scope, scopes, isAlone, nowMs } = finding;
  if (isRefused(gate)) {
    const isNews = gate.probe === scope || nowMs >= gate.slowProbeAtMs;
    return isNews ? closedFor(gate, failure, finding) : gate;
  }
  const { refused: suspect, isTriedInVain } = gate.isOpen ? gate : openGate;
  if (isAlone) return { ...openGate, refused: suspect, isTriedInVain };
  // The suspect once more is enough where no other scope is served: it must not be asked for ever.
  const isConfirmed = scopes <= 1 || (suspect !== undefined && (suspect !== scope || isTriedInVain));
  return isConfirmed ? closedFor(gate, failure, finding) : { ...openGate, refused: scope };
}

/** What an attempt on another scope than the suspect leaves open. */
function triedInVain(gate: OpenGate, scope: string): OpenGate {
  const isOther = gate.refused !== undefined && gate.refused !== scope;
  return isOther ? { ...gate, isTriedInVain: true } : gate;
}

function afterUnreached(gate: Gate, finding: Finding, failure: LookFailure): Gate {
  const { scope, isAlone, scopes, nowMs } = finding;
  // While the circuit is open only the probe counts: attempts that were under way, and those of edits, say nothing new.
  if (isCircuitOpen(gate)) return gate.probe === scope ? closedCircuit(failure, counted(gate, scope), nowMs) : gate;
  const tried = gate.isOpen ? triedInVain(gate, scope) : gate;
  if (isAlone) return tried;
  const next = { ...tried, ...counted(gate, scope) };
  const opens = next.unreached >= opensAfter && next.failing.size >= Math.min(opensAfter, scopes);
  return opens ? closedCircuit(failure, next, nowMs) : next;
}

/** True once it is not worth to send more without asking first whether the service is there. */
export function isInDoubt({ unreached }: Gate): boolean {
  return unreached >= opensAfter;
}

/** One scope was refused, perhaps alone, and no other one has confirmed or disproved it. */
export function isUndecided(gate: Gate): boolean {
  return gate.isOpen && gate.refused !== undefined;
}

function withoutSuspect(gate: Gate, scope: string): Gate {
  return gate.isOpen && gate.refused === scope ? { ...gate, refused: undefined, isTriedInVain: false } : gate;
}

/** True while another scope has to be tried. */
export function needsTrial(gate: Gate): boolean {
  return !gate.isOpen || isUndecided(gate);
}

export function isCircuitOpen(gate: Gate): gate is ClosedGate {
  return !gate.isOpen && gate.failure.connection === 'CircuitOpen';
}

export function isRefused(gate: Gate): gate is ClosedGate {
  return !gate.isOpen && gate.failure.connection === 'Unauthorized';
}

/**
 * The health of the connection after an attempt; undefined while nothing is known. One scope that the service fails on, or refuses,
 * does not make it unreachable or unauthorized: as many scopes as there are do, or five of them.
 */
export function healthAfter(
  gate: Gate,
  finding: Pick<Finding, 'failure' | 'scopes' | 'isAlone'>,
  before: ConnectionReason | undefined,
): ConnectionReason | undefined {
  const { failure, scopes, isAlone } = finding;
  if (!gate.isOpen) return gate.failure.connection;
  if (!failure) return 'Connected';
  const ending = endingOf(failure);
  if (ending === 'refused') return isAlone ? 'Connected' : before;
  if (ending !== 'unreached') return failure.connection;
  const isWide = !isAlone && gate.failing.size >= Math.min(opensAfter, scopes);
  return isWide ? 'Unreachable' : before;
}

function counted(gate: Gate, scope: string): Counts {
  const { unreached, failing } = gate;
  const areMany = failing.size >= opensAfter;
  return { unreached: unreached + 1, failing: areMany ? failing : new Set([...failing, scope]) };
}

/** A refused credential is left alone for the time that was said first, and then again for as long. */
function closedFor(gate: Gate, failure: LookFailure, { nowMs, slowProbeMs }: Finding): ClosedGate {
  const isSame = !gate.isOpen && gate.failure.connection === failure.connection && nowMs < gate.slowProbeAtMs;
  const slowProbeAtMs = isSame ? gate.slowProbeAtMs : nowMs + slowProbeMs;
  return { isOpen: false, ...noCounts, failure, probe: undefined, slowProbeAtMs, refusals: refusalsOf(gate) };
}

/** The count for a gate that closes, or is kept closed, by a refusal. */
export function refusalsOf(gate: Gate): number {
  return isRefused(gate) ? gate.refusals + 1 : 0;
}

function closedCircuit(failure: LookFailure, counts: Counts, nowMs: number): ClosedGate {
  const open: LookFailure = { ...failure, connection: 'CircuitOpen' };
  const { unreached, failing } = counts;
  return { isOpen: false, unreached, failing, failure: open, probe: undefined, slowProbeAtMs: nowMs, refusals: 0 };
}
