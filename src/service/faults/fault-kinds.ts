// The list of faults: parameters, effect and routes. README.md repeats it as a table.
import { methodsOf } from '../http/resource-path.ts';
import { malformations, type FaultName, type FaultRoute } from './fault.ts';

interface FaultKind {
  /** In the syntax of a script. */
  readonly parameters: string;
  readonly effect: string;
  readonly routes: readonly FaultRoute[];
}

export const faultRoutes = Object.keys(methodsOf) as readonly FaultRoute[];

const lists = ['list-alerts'] as const;
const updates = ['update-alert'] as const;
const operations = ['list-alerts', 'update-alert'] as const;

export const faultKinds: Readonly<Record<FaultName, FaultKind>> = {
  latency: {
    parameters: '`{ms}` or `{minMs, maxMs}`, up to 600000',
    effect: 'a delayed response; the operation itself runs at once. Combines with a later fault',
    routes: faultRoutes,
  },
  status: {
    parameters: '200 to 599, with optional `code` and `retryAfter`: a number, any text, or `{inSeconds}`',
    effect: 'this status with an error body; the operation does not run. `{inSeconds}` becomes an HTTP date',
    routes: faultRoutes,
  },
  cut: {
    parameters: '`{afterBytes}`, -1 to 1073741824',
    effect: 'the connection closes after this number of bytes of the body, with -1 before the status line',
    routes: faultRoutes,
  },
  slow: {
    parameters: '`{pieceBytes, everyMs}`, up to 65536 and 600000',
    effect: 'the body arrives in pieces',
    routes: faultRoutes,
  },
  huge: {
    parameters: '`{bytes}`, up to 1073741824',
    effect: 'the same JSON with this amount of white space before its last character',
    routes: faultRoutes,
  },
  malformed: {
    parameters: malformations.map((how) => `\`${how}\``).join(', '),
    effect: 'an invalid body with a correct Content-Length',
    routes: faultRoutes,
  },
  pageLoop: { parameters: '`true`', effect: 'a nextLink to the same page', routes: lists },
  foreignNextLink: { parameters: 'the link, any text', effect: 'this text as nextLink', routes: lists },
  ignoreUpdate: { parameters: '`true`', effect: '204 without a change', routes: updates },
  loseRequest: {
    parameters: '`true`',
    effect: 'the operation does not run, and the connection closes before the status line',
    routes: faultRoutes,
  },
  loseReply: {
    parameters: '`true`',
    effect: 'the operation runs, and the connection closes before the status line',
    routes: faultRoutes,
  },
  reRaise: {
    parameters: '`{afterMs}`, up to 86400000',
    effect: 'the scanner activates a deactivated alert again after this time',
    routes: updates,
  },
  expireToken: {
    parameters: '`true`',
    effect: '401 `InvalidToken`, as if the token had just expired; the operation does not run',
    routes: operations,
  },
};
