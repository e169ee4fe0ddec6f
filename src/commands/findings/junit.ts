// The frame of a report as JUnit XML: one suite, with the counts on both levels.
import { element } from './xml.ts';

export interface JunitCounts extends Readonly<Record<string, number>> {
  readonly tests: number;
  readonly failures: number;
  readonly errors: number;
}

/** `cases`: the test cases as XML, each with a line break at its end. */
export function junitReport(name: string, counts: JunitCounts, cases: readonly string[]): string {
  const suite = element('testsuite', { name, ...counts }, `\n${cases.join('')}`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', counts, `\n${suite}\n`)}\n`;
}
