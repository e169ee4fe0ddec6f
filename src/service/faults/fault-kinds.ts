// Every fault once: what it takes, what a client sees of it, and where it can happen. README.md shows this as a table.
import { methodsOf } from '../http/resource-path.ts';
import { malformations, type FaultName, type FaultRoute } from './fault.ts';

interface FaultKind {
  /** As a script writes it. */
  readonly parameters: string;
  readonly seen: string;
  readonly routes: readonly FaultRoute[];
}

export const faultRoutes = Object.keys(methodsOf) as readonly FaultRoute[];

const lists = ['list-alerts'] as const;
const updates = ['update-alert'] as const;
const operations = ['list-alerts', 'update-alert'] as const;

export const faultKinds: Readonly<Record<FaultName, FaultKind>> = {
  latency: {
    parameters: '`{ms}` or `{minMs, maxMs}`, up to 600000',
    seen: 'the answer comes later; what was asked for is done at once. Adds to the fault that comes after it',
    routes: faultRoutes,
  },
  status: {
    parameters: '200 to 599, beside it `code`, and `retryAfter`: a number, any text, or `{inSeconds}`',
    seen: 'this status with an error body, and nothing is done; `{inSeconds}` is sent as an HTTP date',
    routes: faultRoutes,
  },
  cut: {
    parameters: '`{afterBytes}`, -1 to 1073741824',
    seen: 'the connection is closed after so many bytes of the body, with -1 before the status line',
    routes: faultRoutes,
  },
  slow: {
    parameters: '`{pieceBytes, everyMs}`, up to 65536 and 600000',
    seen: 'the body comes in pieces',
    routes: faultRoutes,
  },
  huge: {
    parameters: '`{bytes}`, up to 1073741824',
    seen: 'the same JSON with so much white space before its last character',
    routes: faultRoutes,
  },
  malformed: {
    parameters: malformations.map((how) => `\`${how}\``).join(', '),
    seen: 'a body that is none, with the right length',
    routes: faultRoutes,
  },
  pageLoop: { parameters: '`true`', seen: 'a nextLink to the page that it stands on', routes: lists },
  foreignNextLink: { parameters: 'the link, any text', seen: 'this text as nextLink', routes: lists },
  ignoreUpdate: { parameters: '`true`', seen: '204, and nothing was changed', routes: updates },
  loseRequest: {
    parameters: '`true`',
    seen: 'nothing is done, and the connection is closed before the status line',
    routes: faultRoutes,
  },
  loseReply: {
    parameters: '`true`',
    seen: 'what was asked for is done, and the connection is closed before the status line',
    routes: faultRoutes,
  },
  reRaise: {
    parameters: '`{afterMs}`, up to 86400000',
    seen: 'an alert that was turned off is active again after this time, by the scanner',
    routes: updates,
  },
  expireToken: {
    parameters: '`true`',
    seen: '401 `InvalidToken`, as if the token had just expired; nothing is done',
    routes: operations,
  },
};
