// A person signs in with a real browser, from `rolealerts login` to the page that confirms it. Skipped with the reason where no browser
// starts: the same way without one is in `process/login.test.ts`.
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { describeWithBrowser, launchBrowser } from '../support/rigs/browser.ts';
import { user, users } from '../support/rigs/oauth-rig.ts';
import { startProgram } from '../support/rigs/program.ts';
import { listOne, seed } from '../support/servers/alerts-service-cases.ts';
import { sendOverSocket, startOverSocket, type ServiceUnderTest } from '../support/servers/alerts-service.ts';
import { startScriptedServer } from '../support/servers/scripted-server.ts';

const clients = [{ id: 'rolealerts-cli', redirectURIs: ['http://127.0.0.1/callback'] }];

describeWithBrowser('in a browser', () => {
  let browser: Browser;
  let service: ServiceUnderTest;
  let page: Page;
  /** What the browser itself complains about: a policy that forbids what our own pages need. */
  let complaints: string[];
  beforeAll(async () => void (browser = await launchBrowser()));
  afterAll(() => browser.close());
  beforeEach(async () => {
    service = await startOverSocket({ seed, users, clients });
    page = await browser.newPage();
    complaints = [];
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('favicon')) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
  });
  afterEach(async () => {
    await page.close();
    await service.stop();
  });

  async function openLogin() {
    const program = startProgram(['login', '--auth-url', service.origin, '--no-browser', '--print-token']);
    await expect.poll(() => program.output.stderr).toMatch(/^ {2}http\S+$/m);
    await page.goto(/^ {2}(http\S+)$/m.exec(program.output.stderr)?.[1] ?? '');
    return program;
  }

  async function signIn(password: string) {
    await page.getByLabel('User').fill(user.name);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  test('a person signs in, and the terminal has the token', async () => {
    const program = await openLogin();
    await signIn(user.password);
    await page.getByText('You are signed in. You can close this page.').waitFor();
    expect(await program.ended).toBe(0);
    const headers = { authorization: `Bearer ${program.output.stdout.trim()}` };
    expect((await sendOverSocket(service.origin, { target: listOne, headers })).status).toBe(200);
    expect(new URL(page.url()).hash).toBe('');
    expect(complaints).toEqual([]);
  });

  test('a client may redirect on to another origin after the sign-in', async () => {
    const portal = await startScriptedServer(({ url }, response) => {
      if (url.startsWith('/callback'))
        response.writeHead(302, { location: portal.url.replace('127.0.0.1', 'localhost') });
      response.end('<p>Welcome</p>');
    });
    const asked = { response_type: 'code', client_id: 'rolealerts-cli', redirect_uri: `${portal.url}/callback` };
    const proof = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' };
    const query = new URLSearchParams({ ...asked, ...proof }).toString();
    await page.goto(`${service.origin}/common/oauth2/authorize?${query}`);
    await signIn(user.password);
    await page.getByText('Welcome').waitFor();
    expect(complaints).toEqual([]);
    await portal.stop();
  });

  test('a page elsewhere cannot send the form, nor show it in a frame', async () => {
    const program = await openLogin();
    const address = page.url();
    await page.setContent(`<iframe src="${address.replaceAll('&', '&amp;')}"></iframe>`);
    await expect.poll(() => complaints.join()).toMatch(/frame/i);
    const fields = [...new URL(address).searchParams].map(([name, value]) => `<input name="${name}" value="${value}">`);
    await page.goto('about:blank');
    await page.setContent(
      `<form method="post" action="${address.split('?')[0]}">${fields.join('')}<input name="username" value="${user.name}">` +
        `<input name="password" value="${user.password}"><button>go</button></form>`,
    );
    await page.getByRole('button').click();
    await page.getByText('The form was sent from another page.').waitFor();
    program.child.kill('SIGINT');
    expect(await program.ended).toBe(1);
  });
});
