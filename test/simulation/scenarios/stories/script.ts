// The behaviour of the network and the service in one story: no faults unless the story defines them.
import type { Fate, SimRequest } from '../../engine/types.ts';

type Sent = Omit<SimRequest, 'atMs'>;

interface Rule {
  readonly matches: (request: Sent) => boolean;
  readonly fate: Fate;
  left: number;
}

export class Script {
  /** How long a list shows the old flag after an update. */
  serviceLagMs = 0;
  /** How far watches are behind. */
  watchLagMs = 5;
  readonly #rules: Rule[] = [];

  /** Gives `fate` to the next `times` requests that match. Earlier rules win. Returns the function that removes the rule. */
  meddle(matches: (request: Sent) => boolean, fate: Fate, times = Infinity): () => void {
    const rule = { matches, fate, left: times };
    this.#rules.push(rule);
    return () => void (rule.left = 0);
  }

  fateOf(request: Sent): Fate {
    const rule = this.#rules.find(({ left, matches }) => left > 0 && matches(request));
    if (!rule) return { kind: 'deliver' };
    rule.left--;
    return rule.fate;
  }
}

export function isList({ method, path }: Sent, scope?: string): boolean {
  const isOne = method === 'GET' && /\/roleManagementAlerts(\?|$)/.test(path);
  return isOne && (scope === undefined || path.toLowerCase().startsWith(`/${scope.toLowerCase()}/`));
}

export function isPatch({ method, path }: Sent, alert = ''): boolean {
  return method === 'PATCH' && path.includes(`/roleManagementAlerts/${alert}`);
}

export function isStatusWrite({ method, path }: Sent, plural: string): boolean {
  return method === 'PUT' && path.includes(`/${plural}/`) && /\/status(\?|$)/.test(path);
}

/** The bearer token of a namespace's connection, as `Scene.connect` makes it. */
export function tokenFor(namespace: string, connection = 'prod'): string {
  return connection === 'prod' ? `token-of-${namespace}` : `token-of-${namespace}-${connection}`;
}

export function failing(status: number): Fate {
  return {
    kind: 'replace',
    answer: { status, body: JSON.stringify({ error: { code: `Drawn${status}`, message: '' } }) },
  };
}
