// Lets client-node's generated API classes (`CoreV1Api`, `CoordinationV1Api`, …) send through our transport: the same few
// connections, deadlines and errors. For calls where a typed signature is worth its cost; the hot paths use the transport itself.
import {
  createConfiguration,
  ResponseContext,
  ServerConfiguration,
  wrapHttpLibrary,
  type Configuration,
  type RequestContext,
} from '@kubernetes/client-node';

import { OperatorError } from '../lib/errors.ts';
import { failureOf, type KubeTransport, type KubeVerb } from './transport.ts';

/** For any generated class: `new CoreV1Api(typedConfiguration(transport))`. The signal ends every call made with it. */
export function typedConfiguration(transport: KubeTransport, signal?: AbortSignal): Configuration {
  return createConfiguration({
    baseServer: new ServerConfiguration(placeholder, {}),
    httpApi: wrapHttpLibrary({ send: (request) => sendTyped(transport, request, signal) }),
  });
}

/** The generated classes want a whole URL; only what follows is used. */
const placeholder = 'http://api-server';

const verbs: Readonly<Record<string, KubeVerb>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

async function sendTyped(
  transport: KubeTransport,
  request: RequestContext,
  signal: AbortSignal | undefined,
): Promise<ResponseContext> {
  const verb = verbs[request.getHttpMethod()];
  const body = request.getBody();
  if (verb === undefined || (body !== undefined && typeof body !== 'string')) {
    throw new OperatorError('kube-invalid', 'This kind of typed call cannot be sent.');
  }
  const answer = await transport.send({
    verb,
    path: request.getUrl().slice(placeholder.length),
    body,
    contentType: request.getHeaders()['Content-Type'],
    signal,
  });
  const failure = failureOf(answer);
  if (failure) throw failure;
  const text = async () => answer.body;
  const binary = async () => Buffer.from(answer.body);
  return new ResponseContext(
    answer.status,
    { 'content-type': 'application/json' },
    { text, binary, stream: () => null },
  );
}
