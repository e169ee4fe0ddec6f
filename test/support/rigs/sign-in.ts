// A sign-in without a browser: opens an address, fills in its form, which has no other address, and lets the page at the end hand the
// fragment back.
import { user } from './oauth-rig.ts';

/** Resolves with the address that the service sends the browser to. */
export async function fillInForm(url: string, members: Readonly<Record<string, string>> = {}): Promise<string> {
  const page = await (await fetch(url)).text();
  if (!page.includes('<form method="post">')) throw new Error(`${url} has no form`);
  const form = { username: user.name, password: user.password, decision: 'allow' };
  const body = new URLSearchParams({ ...form, ...members });
  const answer = await fetch(url, { method: 'POST', body, redirect: 'manual' });
  return answer.headers.get('location') ?? '';
}

/** What the script of the last page does; resolves with the sentence that it shows. */
export async function handBack(location: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const [address = '', fragment = ''] = location.split('#');
  const page = await fetch(address);
  if (!(await page.text()).includes('location.hash')) throw new Error(`${address} is not the page of the login`);
  const all = { origin: new URL(address).origin, 'content-type': 'text/plain', ...headers };
  return (await fetch(address, { method: 'POST', headers: all, body: fragment })).text();
}
