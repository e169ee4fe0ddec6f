// `rolealerts ui` as a process beside an operator on a real API server, open in a browser: the page shows a drift and its repair while
// it happens. Skipped with the reason where no browser starts.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { describeWithBrowser, launchBrowser } from '../support/rigs/browser.ts';
import { startRig } from '../support/rigs/operator-rig.ts';
import { tabTo } from '../support/rigs/page-keyboard.ts';
import { startProgram } from '../support/rigs/program.ts';
import { until } from '../support/rigs/until.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

const scopes = {
  'subscriptions/page-1': [{ name: 'Owners', properties: { isActive: true } }],
  'subscriptions/page-2': [{ name: 'Guests', properties: { isActive: true } }],
};
const longestMs = 300_000;

describeWithControlPlane('the command ui', (controlPlane) => {
  describeWithBrowser('in a browser', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchBrowser();
    });
    afterAll(() => browser.close());

    async function open(namespace: string): Promise<Page> {
      const { output } = startProgram(['ui', '-n', namespace], {
        environment: { KUBECONFIG: controlPlane.kubeconfigPath },
      });
      await until(() => output.stdout.endsWith('\n'), 'the address');
      const page = await browser.newPage();
      onTestFinished(() => page.close());
      page.setDefaultTimeout(longestMs);
      await page.goto(output.stdout.trim());
      return page;
    }

    test('shows a drift and its repair while it is open, with a filter in the URL, by keyboard alone', async () => {
      const rig = await startRig(controlPlane, { scopes });
      await rig.createConnection();
      const observed = {
        scope: 'subscriptions/page-1',
        mode: 'Observe',
        alerts: [{ name: 'Owners', state: 'Active' }],
      };
      await rig.createPolicy('owners', observed);
      await rig.createPolicy('guests', {
        scope: 'subscriptions/page-2',
        alerts: [{ name: 'Guests', state: 'Active' }],
      });
      for (const name of ['owners', 'guests']) await rig.policyIs(name, 'Ready', 'True/Succeeded');

      const page = await open(rig.namespace);
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      const rows = page.locator('#policies tbody tr');
      const row = (text: string) => rows.filter({ hasText: rig.namespace }).filter({ hasText: text });
      await row('1/1').first().waitFor();
      expect(await rows.count()).toBe(2);

      await tabTo(page, 'q');
      await page.keyboard.type('owners');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\?q=owners/);
      expect(await rows.count()).toBe(1);
      const filtered = page.url();
      let loads = 0;
      page.on('load', () => (loads += 1));

      await rig.turn('subscriptions/page-1', 'Owners', false);
      await rig.reconcileNow('owners');
      await row('0/1').waitFor();
      await rig.editPolicy('owners', { mode: 'Enforce' });
      await row('Enforce').filter({ hasText: '1/1' }).waitFor();
      await row('Succeeded').waitFor();
      expect(await rig.flag('subscriptions/page-1', 'Owners')).toBe(true);
      expect({ loads, url: page.url(), shown: await rows.count() }).toEqual({ loads: 0, url: filtered, shown: 1 });

      await tabTo(page, 'owners');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: `Policy ${rig.namespace}/owners` }).waitFor();
      expect(complaints).toEqual([]);
    });
  });
});
