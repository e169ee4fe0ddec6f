// The two pages for users: the sign-in form and the error page. They contain no script and load nothing.
import { createHash } from 'node:crypto';

import type { ServiceResponse } from '../../http/message.ts';
import type { OAuthScope } from '../scopes.ts';
import type { AuthorizeRequest, ReturnPlace } from './authorize-request.ts';

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { display: grid; place-items: center; min-height: 95vh; margin: 0; padding: 1rem; }
main { width: min(22rem, 100%); }
h1 { font-size: 1.3rem; margin: 0 0 .5rem; }
label { display: block; margin-top: 1rem; }
input { box-sizing: border-box; width: 100%; padding: .5rem; font: inherit; }
button { margin: 1.25rem .5rem 0 0; padding: .5rem 1.25rem; font: inherit; }
[role=alert] { margin: 1rem 0 0; padding: .5rem .75rem; border-left: .25rem solid #c62828; }
`;

const styleHash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;

const scopeSentences: Readonly<Record<OAuthScope, string>> = {
  user_impersonation: 'list, activate and deactivate alerts in your name',
  'alerts.read': 'list alerts',
};

export interface SignInView {
  readonly request: AuthorizeRequest;
  readonly userName: string;
  readonly problem: string | undefined;
}

export function signInPage(status: number, view: SignInView, headers: Record<string, string> = {}): ServiceResponse {
  const { request, userName, problem } = view;
  const [userFocus, passwordFocus] = userName === '' ? [' autofocus', ''] : ['', ' autofocus'];
  const allowed = request.scopes.map((scope) => scopeSentences[scope]).join(', and ');
  const body = `<h1>Sign in</h1>
<p><b>${escape(request.client.id)}</b> requests permission to ${escape(allowed)}. The result goes to <b>${escape(new URL(request.redirectURI).host)}</b>.</p>
${problem === undefined ? '' : `<p role="alert">${escape(problem)}</p>`}
<form method="post">
<label>User <input name="username" value="${escape(userName)}" autocomplete="username" autocapitalize="none" spellcheck="false" required${userFocus}></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required${passwordFocus}></label>
<button name="decision" value="allow">Sign in</button>
<button name="decision" value="deny" formnovalidate>Cancel</button>
</form>`;
  return page(status, 'Sign in', body, { formTarget: new URL(request.redirectURI).protocol, headers });
}

/** `errorCode` is for the access log. */
export function refusalPage(status: number, message: string, errorCode: string): ServiceResponse {
  const body = `<h1>Cannot sign in</h1>\n<p role="alert">${escape(message)}</p>`;
  return { ...page(status, 'Cannot sign in', body), errorCode };
}

/** A redirect to the client. The browser keeps a fragment and never sends it to a server. */
export function redirectTo(
  { redirectURI, mode, issuer, state }: ReturnPlace,
  members: Readonly<Record<string, string>>,
): ServiceResponse {
  const text = new URLSearchParams({ ...members, ...(state !== undefined && { state }), iss: issuer }).toString();
  const separator = mode === 'fragment' ? '#' : redirectURI.includes('?') ? '&' : '?';
  const location = `${redirectURI}${separator}${text}`;
  return { status: 303, headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' } };
}

interface PageExtras {
  /**
   * A scheme. Chromium and Safari apply the form-action rule also to each redirect after the form, and a client may redirect on to any
   * origin: naming that of the redirect URI would stop the browser there, without a message.
   */
  readonly formTarget?: string;
  readonly headers?: Record<string, string>;
}

function page(status: number, title: string, body: string, { formTarget, headers }: PageExtras = {}): ServiceResponse {
  const text = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escape(title)} · rolealerts</title><style>${style}</style></head>
<body><main>
${body}
</main></body></html>
`;
  const forms = formTarget === undefined ? "'none'" : `'self' ${formTarget}`;
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(Buffer.byteLength(text)),
      'content-security-policy': `default-src 'none'; style-src ${styleHash}; form-action ${forms}; frame-ancestors 'none'; base-uri 'none'`,
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      // Not no-referrer: browsers would then also hide the origin of the form from this service.
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
      ...headers,
    },
    body: text,
  };
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
