// The image of the container that keeps the namespaces of a pod: one program that waits for ever, written by hand, so that it needs no compiler.
import { archiveOf, layerOf, platformImage } from '../../../.config/image/oci.ts';
import { pauseImage } from './node-files.ts';

const loadAddress = 0x400000;
const headerBytes = 64 + 56;

/** On x86-64: pause(2), again and again. */
const code = Buffer.from([0xb8, 34, 0, 0, 0, 0x0f, 0x05, 0xeb, 0xf7]);

/** An executable of one segment (ELF). */
function program(): Buffer {
  const file = Buffer.concat([Buffer.alloc(headerBytes), code]);
  file.write('\x7fELF\x02\x01\x01', 'latin1');
  const fields = [
    // Executable, x86-64, version; entry; where the program header is; the sizes of both headers.
    [16, 2, 2],
    [18, 2, 62],
    [20, 4, 1],
    [24, 4, loadAddress + headerBytes],
    [32, 4, 64],
    [52, 2, 64],
    [54, 2, 56],
    [56, 2, 1],
    // Load, readable and executable; the address; the size in the file and in memory; alignment.
    [64, 4, 1],
    [68, 4, 5],
    [80, 4, loadAddress],
    [88, 4, loadAddress],
    [96, 4, file.length],
    [104, 4, file.length],
    [112, 4, 0x1000],
  ] as const;
  for (const [offset, bytes, value] of fields) file.writeUIntLE(value, offset, bytes);
  return file;
}

export async function pauseArchive(): Promise<Buffer> {
  const layer = await layerOf([{ path: 'pause', mode: 0o755, content: program() }]);
  const config = { User: '65535:65535', Entrypoint: ['/pause'] };
  return archiveOf([platformImage('amd64', config, [layer])], pauseImage).archive;
}
