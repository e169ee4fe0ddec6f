// The page of the redirect URI. A browser never sends a fragment to a server, so the script posts it, after removing it from the
// address bar and the history.
import { createHash } from 'node:crypto';

const script = `
const fragment = location.hash.slice(1);
history.replaceState(null, '', location.pathname);
const say = (text) => { document.querySelector('p').textContent = text; };
fetch(location.pathname, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: fragment })
  .then((answer) => answer.text())
  .then(say, () => say('The program that started this sign-in is no longer running. Start it again.'));
`;

const style = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; } body { display: grid; place-items: center; min-height: 90vh; }`;

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export const callbackPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>rolealerts</title><style>${style}</style></head>
<body><p role="status">One moment …</p><noscript>This page needs JavaScript to send the token to the program.</noscript>
<script>${script}</script></body></html>
`;

export const callbackHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
