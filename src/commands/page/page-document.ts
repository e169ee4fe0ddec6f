// A whole HTML document that loads nothing from elsewhere, and the content security policy that holds it to that.
import { hash } from 'node:crypto';

import { liveScript } from './live-script.ts';
import { markup, type Markup, verbatim } from './markup.ts';
import { pageStyle } from './page-style.ts';

export interface PageDocument {
  readonly title: string;
  readonly body: Markup;
}

/** Without a script. Its policy is in the document, for those that open it as a file. */
export function reportDocument({ title, body }: PageDocument): string {
  const policy = `default-src 'none'; style-src ${hashOf(pageStyle)}; img-src data:; base-uri 'none'; form-action 'none'`;
  return documentText(title, body, markup`<meta http-equiv="content-security-policy" content="${policy}">`);
}

/** With the script that keeps it current. Its policy is in `liveHeaders`. */
export function liveDocument({ title, body }: PageDocument): string {
  return documentText(
    title,
    markup`${body}
<script>${verbatim(liveScript)}</script>`,
    markup``,
  );
}

/** The headers of every response with a live page. */
export const liveHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; script-src ${hashOf(liveScript)}; style-src ${hashOf(pageStyle)}; img-src data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
};

/** `icon`: without it, browsers request one, which the policy forbids. */
function documentText(title: string, body: Markup, head: Markup): string {
  return markup`${verbatim('<!doctype html>')}
<html lang="en"><head><meta charset="utf-8">${head}
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${verbatim(pageStyle)}</style></head>
<body>
${body}
</body></html>
`.text;
}

function hashOf(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`;
}
