// What another page in the browser of a person gets from `rolealerts ui`, which this person has open: nothing, also from another port of
// the same machine. Skipped with the reason where no browser starts.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { type RunningUi, startUi } from '../../src/commands/ui/ui-server.ts';
import { systemSecrets } from '../../src/lib/secret-text.ts';
import { describeWithBrowser, launchBrowser } from '../support/rigs/browser.ts';

describeWithBrowser('another page in the browser', () => {
  let browser: Browser;
  let context: BrowserContext;
  let ui: RunningUi;
  let other: Server;
  /** On another port of 127.0.0.1. */
  let stranger: Page;
  /** How many pages the server made. */
  let made: number;
  let origin: string;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    made = 0;
    const pageFor = () => {
      made += 1;
      return '<p>the fleet';
    };
    ui = await startUi({ port: 0, newSecret: systemSecrets, pageFor });
    ({ origin } = new URL(ui.address));
    other = createServer((_, response) => void response.setHeader('content-type', 'text/html').end('<p>hello'));
    await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
    context = await browser.newContext();
    const own = await context.newPage();
    await own.goto(ui.address);
    await own.getByText('the fleet').waitFor();
    stranger = await context.newPage();
    await stranger.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
  });
  afterEach(async () => {
    await context.close();
    await ui.stop();
    other.close();
  });

  test.each([
    ['a request', `fetch('ORIGIN/', { credentials: 'include' }).then((answer) => answer.text(), () => 'refused')`],
    [
      'a request whose response it may not read',
      `fetch('ORIGIN/', { credentials: 'include', mode: 'no-cors' }).then(({ type }) => type, () => 'refused')`,
    ],
    [
      'a form',
      `fetch('ORIGIN/', { method: 'POST', credentials: 'include', mode: 'no-cors', body: new URLSearchParams({ q: 'x' }) }).then(({ type }) => type, () => 'refused')`,
    ],
    [
      'a script',
      `new Promise((resolve) => {
        const script = document.createElement('script');
        script.onload = () => resolve('loaded');
        script.onerror = () => resolve('refused');
        script.src = 'ORIGIN/';
        document.body.append(script);
      })`,
    ],
  ])('causes no page by %s', async (_, script) => {
    expect(await stranger.evaluate<string>(script.replace('ORIGIN', origin))).toBe('refused');
    expect(made).toBe(1);
  });
});
