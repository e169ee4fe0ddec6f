// How the clients that the operator is compared with reach the API server.
import type { ControlPlane } from '../../../../src/local/control-plane.ts';

export interface KubeAccess {
  readonly url: string;
  readonly token: string;
  readonly certificateAuthority: string;
}

export function accessTo({ url, adminToken, certificateAuthority }: ControlPlane): KubeAccess {
  return { url, token: adminToken.reveal(), certificateAuthority };
}

/** Of writes, as the operator asks: the response to a write has metadata only. */
export const acceptOfWrites = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json';
