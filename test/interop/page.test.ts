// The pages of `rolealerts status -o html` and `rolealerts ui` in a real browser: on a phone, on a desktop and in print, in light and dark, with a
// screen reader as far as axe judges it, and with the keyboard alone. Skipped with the reason where no browser starts.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import type { FleetInput } from '../../src/commands/report/fleet.ts';
import { reportHtml } from '../../src/commands/report/html.ts';
import { fleetReport, sectionNames } from '../../src/commands/report/sections.ts';
import { LivePages } from '../../src/commands/ui/live-pages.ts';
import { type RunningUi, startUi } from '../../src/commands/ui/ui-server.ts';
import { systemSecrets } from '../../src/lib/secret-text.ts';
import { at, minuteMs, nowMs } from '../support/builders/objects.ts';
import { firingRow, pageFleet, pagePolicy, pageReportInput } from '../support/builders/page-fleet.ts';
import { describeWithBrowser, launchBrowser } from '../support/rigs/browser.ts';
import { focusedOn, tabTo } from '../support/rigs/page-keyboard.ts';

const reportAt = (fleet: FleetInput) => fleetReport(pageReportInput(fleet), sectionNames);
const phone = { width: 375, height: 740 };
const desktop = { width: 1280, height: 800 };

describeWithBrowser('in a browser', () => {
  let folder: string;
  let browser: Browser;
  let page: Page;
  /** What the browser itself complains about: an error, or what the content security policy forbids. */
  let complaints: string[];
  let pages: LivePages;
  let ui: RunningUi;
  let nowOfPages = nowMs;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rolealerts-page-'));
    writeFileSync(join(folder, 'fleet.html'), reportHtml(reportAt(pageFleet), at(0)));
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    pages = new LivePages({ first: pageFleet, reportOf: reportAt, clock: { now: () => nowOfPages } });
    ui = await startUi({ port: 0, newSecret: systemSecrets, pageFor: (parameters) => pages.pageFor(parameters) });
    page = await browser.newPage();
    complaints = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
  });
  afterEach(async () => {
    await page.close();
    await ui.stop();
  });

  const openReport = () => page.goto(`file://${folder}/fleet.html`);
  const openFleet = () => page.goto(ui.address);
  const opened = { report: openReport, fleet: openFleet };
  /** The cell with the name of a policy. */
  const policyCell = (name: string) => page.locator('#policies').getByRole('cell', { name, exact: true });

  /** What axe finds serious or critical. It runs outside of the page's content security policy. */
  async function seriousFindings(): Promise<readonly string[]> {
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    return serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
  }

  const screens = [
    ['phone', 'light'],
    ['phone', 'dark'],
    ['desktop', 'light'],
    ['desktop', 'dark'],
  ] as const;

  describe.each(['report', 'fleet'] as const)('the page of the %s', (name) => {
    test.each(screens)(
      'fits a %s in %s, cuts no cell, loads without an error, and axe finds nothing serious',
      async (size, colorScheme) => {
        await page.setViewportSize(size === 'phone' ? phone : desktop);
        await page.emulateMedia({ colorScheme });
        await opened[name]();
        expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
        expect(await seriousFindings()).toEqual([]);
        await page.evaluate(`document.querySelectorAll('details').forEach((each) => { each.open = true; })`);
        expect(await page.evaluate<readonly string[]>(cutCells)).toEqual([]);
        expect(complaints).toEqual([]);
      },
    );

    test('prints on white paper, without what only a screen can use', async () => {
      await opened[name]();
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
      expect(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
      expect(await page.locator('nav:visible, form:visible, .skip:visible').count()).toBe(0);
      expect((await page.pdf({ format: 'A4' })).subarray(0, 5).toString()).toBe('%PDF-');
    });
  });

  test.each(['report', 'fleet'] as const)('text of objects runs no script in the page of the %s', async (name) => {
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => void dialogs.push(dialog.message()));
    await opened[name]();
    expect(await page.locator('main script').count()).toBe(0);
    expect(await page.getByText('"><script>alert(1)</script>').count()).toBeGreaterThan(0);
    expect(dialogs).toEqual([]);
  });

  test('the keyboard searches, and Back returns to everything', async () => {
    await openFleet();
    await tabTo(page, 'q');
    await page.keyboard.type('STALLED scopenotfound');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\?q=STALLED\+scopenotfound/);
    const rows = page.locator('#policies tbody tr');
    expect(await rows.allTextContents()).toEqual([expect.stringContaining('ScopeNotFound')]);
    expect(await page.getByLabel('Search every table').inputValue()).toBe('STALLED scopenotfound');
    await page.goBack();
    expect(await rows.count()).toBe(pageFleet.policies.length);
    expect(complaints).toEqual([]);
  });

  test('the page follows the fleet, and leaves the focus and what is being typed where they are', async () => {
    await openFleet();
    await tabTo(page, 'q');
    await page.keyboard.type('half a wo');
    const added = pagePolicy({ name: 'added', alerts: [firingRow('Owners', 41, 'High')] });
    pages.show({ ...pageFleet, policies: [...pageFleet.policies, added] });
    await policyCell('added').waitFor();
    expect(await page.getByLabel('Search every table').inputValue()).toBe('half a wo');
    expect((await focusedOn(page)).name).toBe('q');
    expect(complaints).toEqual([]);
  });

  test('without its server the page says so and keeps its last state', async () => {
    await openFleet();
    await policyCell('waiting').waitFor();
    await ui.stop();
    await page.getByRole('status').getByText('does not respond').waitFor();
    expect(await policyCell('stalled').count()).toBe(1);
  });

  test('shows since when the API server does not answer, until it does', async () => {
    await openFleet();
    pages.showFailure('Since 12:00 the API server does not answer.');
    await page.getByRole('status').getByText('Since 12:00').waitFor();
    pages.showFailure(undefined);
    await page.getByRole('status').getByText('Since 12:00').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test('a change leaves open and focused what was unfolded', async () => {
    const many = Array.from({ length: 20 }, (_, index) => pagePolicy({ name: `many-${index}` }));
    pages.show({ ...pageFleet, policies: many });
    await openFleet();
    await page.locator('#policies summary').focus();
    await page.keyboard.press('Enter');
    pages.show({ ...pageFleet, policies: [...many, pagePolicy({ name: 'zebra' })] });
    await policyCell('zebra').waitFor();
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('policies-more');
    expect(complaints).toEqual([]);
  });

  test('what had the focus and is gone leaves it to its section', async () => {
    const many = Array.from({ length: 20 }, (_, index) => pagePolicy({ name: `many-${index}` }));
    pages.show({ ...pageFleet, policies: many });
    await openFleet();
    await page.locator('#policies summary').focus();
    pages.show(pageFleet);
    await page.locator('#policies summary').waitFor({ state: 'detached' });
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('policies');
  });

  test('a section that the fleet no longer has goes', async () => {
    await openFleet();
    expect(await page.locator('#attention').count()).toBe(1);
    pages.show({ ...pageFleet, policies: [], connections: [] });
    await page.getByText('No policies and no connections found').waitFor();
    expect(await page.locator('#attention, nav a[href="#attention"]').count()).toBe(0);
  });

  test('what time alone changes appears without a change of the fleet', async () => {
    await openFleet();
    expect(await page.locator('main').getByText('DismissalEnding').count()).toBe(1);
    nowOfPages = nowMs - 10 * 24 * 60 * minuteMs;
    await page.locator('main').getByText('DismissalEnding').waitFor({ state: 'detached' });
    nowOfPages = nowMs;
    expect(complaints).toEqual([]);
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
