// The lines about the operator's metrics: their address and one sample.
import { cleanText } from '../../lib/clean-text.ts';
import { outgrownSample } from './scenario-samples.ts';

const deadlineMs = 10_000;

/** Reads the metrics at `url`. Without an answer only the address is shown. */
export async function metricsLines(url: string): Promise<readonly string[]> {
  const sample = findSample(await readMetrics(url));
  return sample === undefined
    ? [`The operator serves its metrics at ${url}.`]
    : [`The operator serves its metrics at ${url}, for example:`, `  ${cleanText(sample, 400)}`];
}

/** The incidents of the alert whose dismissal the scenario ends. */
export function findSample(text: string): string | undefined {
  return text
    .split('\n')
    .find((line) => line.startsWith('rolealerts_incidents{') && line.includes(`"${outgrownSample.name}"`));
}

async function readMetrics(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(deadlineMs) });
    return await response.text();
  } catch {
    return '';
  }
}
