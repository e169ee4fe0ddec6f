// The parameter `resource` of RFC 8707, which clients of the first version of such services always send: the URI of the service that
// the token is for. This service issues tokens for itself only.

/**
 * True for the base URL, however it is spelled: clients add a slash, the default port or capital letters (RFC 3986 section 6.2). An absent
 * resource is this service.
 */
export function isThisService(resource: string | undefined, publicURL: string): boolean {
  if (resource === undefined || resource === publicURL) return true;
  const given = URL.parse(resource);
  // RFC 8707 section 2 forbids a fragment, also an empty one.
  return given !== null && !resource.includes('#') && given.href === new URL(publicURL).href;
}

export const foreignResource = {
  error: 'invalid_target',
  description: 'This service issues tokens for itself only: resource must be its base URL.',
} as const;
