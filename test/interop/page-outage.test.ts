// What a person on call sees of 530 policies when one token is behind 500 of them: the page of `rolealerts ui` and `rolealerts status -o html`, measured in
// a browser, at the width of a desktop and of a phone, in light and dark. Skipped with the reason where no browser starts.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { reportHtml } from '../../src/commands/report/html.ts';
import { fleetReport, sectionNames } from '../../src/commands/report/sections.ts';
import { LivePages } from '../../src/commands/ui/live-pages.ts';
import { type RunningUi, startUi } from '../../src/commands/ui/ui-server.ts';
import { systemSecrets } from '../../src/lib/secret-text.ts';
import { at, nowMs } from '../support/builders/objects.ts';
import { outageFleet } from '../support/builders/outage-fleet.ts';
import { pageReportInput } from '../support/builders/page-fleet.ts';
import { describeWithBrowser, launchBrowser } from '../support/rigs/browser.ts';

const desktop = { width: 1280, height: 900 };
const phone = { width: 390, height: 844 };
/** Where the cause has to end: on the first screen of a desktop, within two screens of a phone. */
const places = [
  ['desktop', desktop, desktop.height],
  ['phone', phone, 2 * phone.height],
] as const;
const screens = places.flatMap((place) => (['light', 'dark'] as const).map((scheme) => [...place, scheme] as const));

describeWithBrowser('one token behind 500 of 530 policies', () => {
  let folder: string;
  let browser: Browser;
  let page: Page;
  let ui: RunningUi;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rolealerts-outage-'));
    const report = fleetReport(pageReportInput(outageFleet), sectionNames);
    writeFileSync(join(folder, 'fleet.html'), reportHtml(report, at(0)));
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    const pages = new LivePages({
      first: outageFleet,
      reportOf: (input) => fleetReport(pageReportInput(input), sectionNames),
      clock: { now: () => nowMs },
    });
    ui = await startUi({ port: 0, newSecret: systemSecrets, pageFor: (parameters) => pages.pageFor(parameters) });
    page = await browser.newPage();
  });
  afterEach(async () => {
    await page.close();
    await ui.stop();
  });

  const open = { report: () => page.goto(`file://${folder}/fleet.html`), fleet: () => page.goto(ui.address) };
  const height = () => page.evaluate<number>('document.documentElement.scrollHeight');

  describe.each(['report', 'fleet'] as const)('the page of the %s', (name) => {
    test.each(screens)(
      'names the cause at once, cuts no cell and is not too long on a %s',
      async (_name, viewport, lowest, colorScheme) => {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        await open[name]();
        const cause = page.getByRole('row').filter({ hasText: 'refuses the credential' });
        expect(await cause.textContent()).toContain('500 policies');
        const box = await cause.boundingBox();
        expect((box?.y ?? Infinity) + (box?.height ?? Infinity)).toBeLessThanOrEqual(lowest);
        expect((box?.x ?? Infinity) + (box?.width ?? Infinity)).toBeLessThanOrEqual(viewport.width);
        const findings = await page.locator('#attention tbody tr').allTextContents();
        expect(findings[0]).toContain('Unauthorized');
        expect(findings.filter((text) => text.includes('ConnectionNotReady'))).toHaveLength(1);
        expect(await height()).toBeLessThanOrEqual(20_000);
        await page.evaluate(axe.source);
        const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
        const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
        expect(serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 120)}`)).toEqual([]);
        await page.evaluate(`document.querySelectorAll('details').forEach((each) => { each.open = true; })`);
        expect(await page.evaluate<readonly string[]>(cutCells)).toEqual([]);
      },
    );
  });

  test('the page of the fleet searches every table', async () => {
    await open.fleet();
    await page.getByLabel('Search every table').fill('high ledger/');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\?q=high\+ledger/);
    const alerts = await page.locator('#incidents tbody tr').allTextContents();
    expect(alerts.length).toBeGreaterThan(10);
    expect(alerts.filter((text) => !text.startsWith('High') || !text.includes('ledger/'))).toEqual([]);
  });

  test('the report has every policy, and the keyboard unfolds the long part', async () => {
    await open.report();
    const rows = page.locator('#policies tbody tr');
    expect(await rows.count()).toBe(530);
    const last = rows.last();
    expect(await last.isVisible()).toBe(false);
    await page.locator('#policies summary').focus();
    await page.keyboard.press('Enter');
    await last.waitFor({ state: 'visible' });
  });
});

/** The text of each visible cell of which less than eight characters fit on a line of the screen. */
const cutCells = `(() => {
  const ruler = document.createElement('canvas').getContext('2d');
  return [...document.querySelectorAll('th, td')].flatMap((cell) => {
    const text = cell.textContent.trim();
    if (text === '' || !cell.checkVisibility()) return [];
    const style = getComputedStyle(cell);
    const { left, right } = cell.getBoundingClientRect();
    const clip = [innerWidth];
    for (let each = cell.parentElement; each; each = each.parentElement) clip.push(each.getBoundingClientRect().right);
    const shown = Math.min(right, ...clip) - Math.max(left, 0) - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    ruler.font = style.font;
    const needed = ruler.measureText(text.slice(0, 8)).width;
    return shown + 1 < needed ? [text.slice(0, 40)] : [];
  });
})()`;
