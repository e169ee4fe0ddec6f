// The name of a caller of the service: the kind of its credential and its connection, so that every request
// can be traced to the connection that sent it.

export type CallerKind = 'token' | 'client';

/** `token.team-a/prod` calls through the connection `prod` of the namespace `team-a`. */
export function callerOf(kind: CallerKind, namespace: string, connection: string): string {
  return `${kind}.${namespace}/${connection}`;
}

/** `namespace/name` of the connection. */
export function keyOfCaller(caller: string): string {
  return caller.slice(caller.indexOf('.') + 1);
}

/** A connection that is re-created under the same name may authenticate in the other way. */
export function callersOf(connection: string): readonly string[] {
  return [`token.${connection}`, `client.${connection}`];
}
