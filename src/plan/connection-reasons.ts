// The reasons of a connection's conditions and events, each with its sentence.
import { policyReasons } from './policy-reasons.ts';

/** Reasons of a connection's Ready condition, and of a policy's ConnectionReady. */
export const connectionReasons = {
  Connected: {
    message: 'The service answers.',
    advice: 'Nothing.',
  },
  SecretNotFound: {
    message: 'The Secret or its key does not exist, or its value cannot be used as a credential.',
    advice: 'Create the Secret and the key that `spec.auth` names; it is read again every 30 seconds.',
  },
  SecretNotAllowed: {
    message:
      'The operator may not use the Secret: it lacks the label rolealerts.dev/credential: "true", or RBAC forbids reading it.',
    advice:
      'Label the Secret if it is meant as a credential: `kubectl label secret NAME rolealerts.dev/credential=true`. If it has the label, check the role of the operator.',
  },
  Unauthorized: {
    message: 'The service refuses the credential.',
    advice: 'Renew the credential in the Secret; a change is noticed within 30 seconds.',
  },
  TokenEndpointFailed: {
    message: 'The token endpoint did not issue a token.',
    advice: 'Check `tokenURL`, `clientID`, `scopes` and the client secret; the log has the code of the response.',
  },
  TLSFailed: {
    message: 'No trusted TLS connection to the service can be made.',
    advice:
      'Give the right authority in `endpoint.caBundleRef`, or renew the certificate of the service; both are tried every 30 seconds.',
  },
  Unreachable: {
    message: 'The service cannot be reached or fails.',
    advice: 'Check network, DNS and the service; the operator retries automatically.',
  },
  CircuitOpen: {
    message:
      'The circuit breaker is open after repeated failures; single requests test whether the service has recovered.',
    advice: 'Check network, DNS and the service; the connection recovers automatically once the service answers.',
  },
  Throttled: {
    message:
      'The service is throttling requests; all requests of the connection wait as long as it asked, at most one hour.',
    advice: 'Nothing. If this recurs, raise the intervals of the policies.',
  },
  InvalidEndpoint: {
    message: 'The operator does not allow the endpoint or the token URL, or cannot read the CA bundle.',
    advice:
      'Correct `endpoint`: https, a public address and a readable CA bundle; see `--allow-http` and `--allow-private-endpoints`.',
  },
  ConnectionNotFound: policyReasons.ConnectionNotFound,
} as const;
