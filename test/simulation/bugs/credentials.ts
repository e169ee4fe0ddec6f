// Bugs about how long a credential, a CA bundle and an endpoint are used.
import type { DeliberateBug } from '../bugs.ts';

export const credentialsBugs: readonly DeliberateBug[] = [
  {
    name: 'use what was read once for good',
    trait: 'losesCredentials',
    find: `const staleAtMs = clock.monotonic() + readAgainAfterMs;
      return { value: await read(signal), staleAtMs };`,
    replace: `const staleAtMs = Infinity + readAgainAfterMs;
      return { value: await read(signal), staleAtMs };`,
  },
  {
    name: 'go on with a credential that is gone',
    trait: 'losesCredentials',
    find: `error instanceof StoppedError ||
    isCoded<KubeReadErrorCode | ReadingErrorCode>(error, 'kube-unreachable', 'read-timeout')`,
    replace: 'error instanceof StoppedError || isCoded<KubeReadErrorCode | ReadingErrorCode>(error)',
  },
  {
    name: 'keep the token of a former credential',
    trait: 'losesCredentials',
    find: 'if (current?.credential.equals(credential) && current.caBundle === caBundle) return current;',
    replace: 'if (current && current.caBundle === caBundle) return current;',
  },
  {
    name: 'act as a ServiceAccount that does not consent',
    story: 'a ServiceAccount whose consent comes and goes',
    find: 'if (!hasConsent(metadata, accountConsent(account))) throw notAllowed(account);',
    replace: '',
  },
  {
    name: 'use a Secret that does not consent',
    story: 'a connection names a credential that is not meant for it',
    find: 'if (!hasConsent(secret.metadata, secretConsent)) throw notAllowed(where);',
    replace: 'void notAllowed;',
  },
  {
    name: 'read a Secret wherever its name leads',
    story: 'a connection names a credential that is not meant for it',
    find: '!/^[A-Za-z0-9][A-Za-z0-9._:-]{0,252}$/.test(text)',
    replace: "text === ''",
  },
  {
    name: 'trust the first CA bundle for good',
    trait: 'losesCredentials',
    find: 'if (current?.credential.equals(credential) && current.caBundle === caBundle) return current;',
    replace: 'if (current?.credential.equals(credential)) return current;',
  },
  {
    name: 'let a connection move while it has dismissals',
    trait: 'moves',
    crd: 'rolealertconnections',
    find: 'oldSelf.status.dismissals.size() == 0 ||',
    replace: 'oldSelf.status.dismissals.size() >= 0 ||',
    behind: [
      {
        find: `if (isSameObject) this.#dropEntries();
    else this.#load(connection);`,
        replace: 'if (!isSameObject) this.#load(connection);',
      },
    ],
  },
];
