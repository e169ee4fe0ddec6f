// Which edit is on in this process, which ones were met, and how often. Instrumented sources ask it as `globalThis.$mutation`.

/** A case that takes so many steps more than it did without an edit would not end by itself. */
const moreSteps = 2_000_000;
const timesAsMany = 10;
/** What catches the error and continues for so many steps more is ended with its process. */
const lastSteps = 500_000;

let activeId = -1;
let met: Set<number> | undefined;
let steps = 0;
let lastStep = Infinity;

export class EndlessLoop extends Error {}

function isOn(id: number): boolean {
  met?.add(id);
  steps += 1;
  if (steps > lastStep) endLoop();
  return id === activeId;
}

function endLoop(): never {
  if (steps > lastStep + lastSteps) process.exit(1);
  throw new EndlessLoop('The edit made an endless loop.');
}

Object.assign(globalThis, { $mutation: isOn });

/** Edits that are asked for from now on are added to `ids`. */
export function recordInto(ids: Set<number> | undefined): void {
  met = ids;
}

export function stepsTaken(): number {
  return steps;
}

/** `usualSteps`: how many the code takes without the edit. */
export function turnOn(id: number, usualSteps: number): void {
  activeId = id;
  lastStep = steps + moreSteps + timesAsMany * usualSteps;
}

export function turnOff(): void {
  activeId = -1;
  lastStep = Infinity;
}
