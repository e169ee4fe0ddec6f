// How the clients that the operator is compared with reach the API server.
import type { ControlPlane } from '../../../src/local/control-plane.ts';

export interface KubeAccess {
  readonly url: string;
  readonly token: string;
  readonly certificateAuthority: string;
}

export function accessTo({ url, adminToken, certificateAuthority }: ControlPlane): KubeAccess {
  return { url, token: adminToken.reveal(), certificateAuthority };
}
