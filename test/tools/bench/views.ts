// What a person waits for with 10,000 policies: the first row of `status` and of the page of `ui`, a search, and a change.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { type ListedFleet, startListedFleet } from './listed-fleet.ts';
import { type Program, startProgram } from './programs.ts';
import type { Setup } from './setup.ts';
import { countRow, type Findings, renderRows, type Row, wrongRows } from './table.ts';
import { waitFor } from './wait.ts';

const policies = 10_000;
const rowsOfPage = 200;
const deadline = { withinMs: 120_000, everyMs: 2 };

type Place = Pick<Setup, 'sides' | 'directory'>;

export async function measureViews(setup: Place): Promise<Findings> {
  const fleet = await startListedFleet(policies);
  try {
    const kubeconfig = join(setup.directory, 'views.kubeconfig');
    await writeFile(kubeconfig, kubeconfigOf(fleet.url));
    const rows = [...(await statusRows(setup, kubeconfig)), ...(await uiRows(setup, kubeconfig, fleet))];
    return { text: renderRows(`views of ${policies} policies`, rows, 'rolealerts'), wrong: wrongRows(rows) };
  } finally {
    await fleet.stop();
  }
}

function start(
  { sides: [side], directory }: Place,
  kubeconfig: string,
  args: readonly string[],
  onLine: (line: string) => void,
): Program {
  const all = [...side.nodeFlags, side.operatorFile, ...args, '-A', '--kubeconfig', kubeconfig];
  return startProgram({ args: all, onLine, logPath: join(directory, 'views.log') });
}

async function statusRows(setup: Place, kubeconfig: string): Promise<readonly Row[]> {
  let firstMs: number | undefined;
  const program = start(setup, kubeconfig, ['status', '--watch'], () => (firstMs ??= performance.now()));
  const shownMs = await waitFor('the first line of status', deadline, () => firstMs);
  const { peakMiB } = program.usage();
  await program.stop();
  return [
    { name: 'status: first line', value: milliseconds(shownMs - program.startedMs) },
    { name: 'status: peak RSS', value: `${peakMiB.toFixed(0)} MiB` },
  ];
}

async function uiRows(setup: Place, kubeconfig: string, fleet: ListedFleet): Promise<readonly Row[]> {
  let address: string | undefined;
  const program = start(setup, kubeconfig, ['ui'], (line) => (address ??= line));
  try {
    const printed = await waitFor('the address of ui', deadline, () => address);
    const page = await signIn(printed);
    const [first, firstMs] = await timed(() => page('/'));
    const shownMs = performance.now();
    const [, secondMs] = await timed(() => page('/'));
    const [found, foundMs] = await timed(() => page('/?q=team-7%20policy-9907'));
    const changedMs = await followedAfter(page, fleet);
    const { peakMiB } = program.usage();
    return [
      { name: 'ui: first row of the page', value: milliseconds(shownMs - program.startedMs) },
      { name: 'ui: the page, first and again', value: `${milliseconds(firstMs)}, ${milliseconds(secondMs)}` },
      { name: 'ui: size of the page', value: `${(first.length / 1024).toFixed(0)} KiB` },
      { name: 'ui: search', value: milliseconds(foundMs) },
      { name: 'ui: from a change to the page', value: milliseconds(changedMs) },
      { name: 'ui: peak RSS', value: `${peakMiB.toFixed(0)} MiB` },
      countRow('rows of a page', rowsIn(first), rowsOfPage),
      countRow('rows found by name', rowsIn(found), 1),
    ];
  } finally {
    await program.stop();
  }
}

type ReadPage = (path: string) => Promise<string>;

/** Reads pages of the session that the printed address opens. */
async function signIn(address: string): Promise<ReadPage> {
  const answer = await fetch(address, { redirect: 'manual' });
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  const { origin } = new URL(address);
  return async (path) => (await fetch(`${origin}${path}`, { headers: { cookie } })).text();
}

/** Milliseconds until a page has the change; the command gathers changes for a quarter of a second. */
async function followedAfter(page: ReadPage, fleet: ListedFleet): Promise<number> {
  // The watch begins after the first page.
  await waitFor('the first change', deadline, async () => {
    fleet.change(5000);
    return (await page('/?q=policy-0')).includes('5001</td>') ? true : undefined;
  });
  const startedMs = performance.now();
  fleet.change(7000);
  await waitFor('the change', deadline, async () =>
    (await page('/?q=policy-0')).includes('7001</td>') ? true : undefined,
  );
  return performance.now() - startedMs;
}

async function timed<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const startedMs = performance.now();
  return [await work(), performance.now() - startedMs];
}

function rowsIn(page: string): number {
  return page.match(/<th scope="row">[^<]*<\/th><td><a href="\/policies\//g)?.length ?? 0;
}

function milliseconds(value: number): string {
  return `${value.toFixed(0)} ms`;
}

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'listed', cluster: { server } }],
    users: [{ name: 'viewer', user: {} }],
    contexts: [{ name: 'listed', context: { cluster: 'listed', user: 'viewer' } }],
    'current-context': 'listed',
  });
}
