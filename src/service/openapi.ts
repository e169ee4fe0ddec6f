// The OpenAPI description (openapi.yaml) of one service.
import { openAPITemplate } from './openapi-template.ts';

/** The values of the placeholders. */
export interface DescribedService {
  /** The base URL of section 4, without a trailing slash. */
  readonly serverURL: string;
  /** `{auth_url}` of section 5, without a trailing slash. */
  readonly authURL: string;
  readonly providerNamespace: string;
  readonly apiVersion: string;
}

/** The document as JSON text. */
export function openAPIText({ serverURL, authURL, providerNamespace, apiVersion }: DescribedService): string {
  const values: Readonly<Record<string, string>> = { serverURL, authURL, providerNamespace, apiVersion };
  return openAPITemplate.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => JSON.stringify(values[name]).slice(1, -1));
}
