// The API server of a test as a `KubeTransport` in the same process: objects by their paths, lists of them, and refusals.
import { KubeError, type KubeErrorCode } from '../../../src/operator/kube/kube-error.ts';
import type { KubeRequest, KubeTransport } from '../../../src/operator/kube/transport.ts';

export interface FakeApiServer extends KubeTransport {
  /** In the order of their arrival. */
  readonly requests: readonly KubeRequest[];
}

/** By path without the query: an object, the items of a list, an answer to the request, or the code of a refusal. */
export type FakeAnswers = Readonly<
  Record<string, object | readonly object[] | KubeErrorCode | ((request: KubeRequest) => object)>
>;

/** Answers what it does not have with `kube-not-found`. */
export function fakeApiServer(answers: FakeAnswers): FakeApiServer {
  const requests: KubeRequest[] = [];
  return {
    requests,
    async request<T>(request: KubeRequest) {
      requests.push(request);
      const answer = answers[request.path.replace(/\?.*$/, '')] ?? 'kube-not-found';
      if (typeof answer === 'string') throw new KubeError(answer, `refused with ${answer}.`);
      if (typeof answer === 'function') return answer(request) as T;
      return (Array.isArray(answer) ? listOf(answer) : answer) as T;
    },
    send: () => Promise.reject(new Error('not in this test')),
    watch: () => Promise.reject(new Error('not in this test')),
  };
}

/** The objects have the metadata of every stored object. */
function listOf(objects: readonly { readonly metadata?: object }[]): object {
  const stored = { name: 'x', uid: 'u', resourceVersion: '1' };
  const items = objects.map((object) => ({ ...object, metadata: { ...stored, ...object.metadata } }));
  return { metadata: { resourceVersion: '1' }, items };
}
