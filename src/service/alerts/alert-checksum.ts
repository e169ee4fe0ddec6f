// The checksums of a stored alert: one of what an update changes, one of its document. CRC-32 finds bytes that the disk changed, at the cost
// of some microseconds a page. It is no protection against a program that changes the file and the checksum.
import { crc32 } from 'node:zlib';

/** Separates the parts, and marks null. JSON text contains neither. */
const [separator, nothing] = ['\u0000', '\u0001'];

export interface SummedAlert {
  readonly scope_key: string;
  readonly alert_key: string;
  readonly is_active: number;
  readonly system_data: string | null;
}

export interface SummedDocument {
  readonly scope_key: string;
  readonly alert_key: string;
  readonly members: string;
  readonly properties: string;
}

export function alertChecksum({ scope_key, alert_key, is_active, system_data }: SummedAlert): number {
  return checksumOf(scope_key, alert_key, is_active, system_data);
}

/** Contains the keys, so that the document of another alert does not pass for this one's. */
export function documentChecksum({ scope_key, alert_key, members, properties }: SummedDocument): number {
  return checksumOf(scope_key, alert_key, members, properties);
}

/** An unsigned 32-bit number. */
function checksumOf(...parts: readonly (string | number | null)[]): number {
  let sum = 0;
  for (const part of parts) sum = crc32(part === null ? nothing : String(part), crc32(separator, sum));
  return sum;
}
