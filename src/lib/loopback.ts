// Which addresses only programs of this machine can reach.

export function isLoopback({ host }: { readonly host: string }): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.[0-9]{1,3}){3}$/.test(host);
}
