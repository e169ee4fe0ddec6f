// How two plans differ, fact by fact.
import { byText } from '../lib/by-text.ts';
import { type Fact, factKinds } from './facts.ts';

/** A fact that only one of two plans has, or has with another value. */
export interface FactDifference extends Omit<Fact, 'value'> {
  /** Undefined when the plan has no such fact. */
  readonly before: string | undefined;
  readonly now: string | undefined;
}

/** By kind, then by policy and alert. */
export function factDifferences(before: readonly Fact[], now: readonly Fact[]): readonly FactDifference[] {
  const byKey = new Map<string, FactDifference>();
  for (const { value, ...about } of before) byKey.set(keyOf(about), { ...about, before: value, now: undefined });
  for (const { value, ...about } of now) {
    byKey.set(keyOf(about), { ...about, before: byKey.get(keyOf(about))?.before, now: value });
  }
  const differing = [...byKey.values()].filter((difference) => difference.before !== difference.now);
  return sortDifferences(differing);
}

export function sortDifferences<D extends FactDifference>(differences: readonly D[]): D[] {
  return [...differences].sort(
    (a, b) => factKinds.indexOf(a.kind) - factKinds.indexOf(b.kind) || byText(keyOf(a), keyOf(b)),
  );
}

function keyOf({ kind, policy = '', alert = '' }: Omit<Fact, 'value'>): string {
  return `${kind}\n${policy}\n${alert}`;
}
