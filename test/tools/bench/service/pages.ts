// The pages of the section `lists`: scopes whose list has a given number of bytes, as files of JSON.
import { writeFile } from 'node:fs/promises';

import { alertText, storeAlert, type StoredAlert } from '../../../../src/service/alerts/alert-document.ts';

export interface PageSize {
  readonly name: string;
  readonly scope: string;
  readonly bytes: number;
  readonly alerts: number;
}

export const pageSizes: readonly PageSize[] = [
  { name: '1 KiB', scope: 'subscriptions/small', bytes: 1024, alerts: 1 },
  { name: '64 KiB', scope: 'subscriptions/large', bytes: 65_536, alerts: 50 },
];

/** Writes the pages as a seed of the service, which every version reads. */
export async function writePages(seedFile: string): Promise<void> {
  const pages = pageSizes.map((size) => {
    return [size.scope, { value: alertsOf(size).map((alert) => JSON.parse(alertText(alert)) as unknown) }] as const;
  });
  await writeFile(seedFile, JSON.stringify({ scopes: Object.fromEntries(pages) }));
}

/** The whole list of such a scope has exactly the bytes of the size. */
function alertsOf(size: PageSize): readonly StoredAlert[] {
  const paddingBytes =
    size.bytes - lengthOf(Array.from({ length: size.alerts }, (_, index) => alertOf(size, index, 0)));
  const each = Math.floor(paddingBytes / size.alerts);
  const ofLast = paddingBytes - each * (size.alerts - 1);
  return Array.from({ length: size.alerts }, (_, index) =>
    alertOf(size, index, index === size.alerts - 1 ? ofLast : each),
  );
}

const lengthOf = (alerts: readonly StoredAlert[]) => `{"value":[${alerts.map(alertText).join(',')}]}`.length;

function alertOf({ scope }: PageSize, index: number, paddingBytes: number): StoredAlert {
  const name = `Alert${String(index).padStart(2, '0')}`;
  const properties = {
    isActive: true,
    alertConfiguration: { name, properties: { alertDefinitionId: name, isEnabled: true } },
    alertDefinition: { name, properties: { displayName: name, description: 'x'.repeat(paddingBytes) } },
  };
  const place = { scope, providerNamespace: 'Vendor.Authorization', nowMs: Date.UTC(2026, 0, 1) };
  return storeAlert({ name, properties }, name, place);
}
