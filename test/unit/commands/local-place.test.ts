// Where `rolealerts local` keeps its state, and the commands that it prints.
import { describe, expect, it } from 'vitest';

import { findCheckout, localPlace } from '../../../src/commands/local.ts';

const checkout = '/home/ada/my checkout';
const caller = (workingDirectory: string, programFile = `${checkout}/src/main.ts`) => ({
  workingDirectory,
  programFile,
  facts: { platform: 'linux', arch: 'x64', env: {}, execPath: '/opt/node' },
});
const npm = "npm --prefix '/home/ada/my checkout' run -s rolealerts --";

describe('the state folder', () => {
  it.each([
    [checkout, `${checkout}/.rolealerts`],
    [`${checkout}/deploy/base`, `${checkout}/.rolealerts`],
    ['/home/ada', `${checkout}/.rolealerts`],
  ])('for the current folder %s is %s', (folder, state) => {
    expect(localPlace(undefined, caller(folder), checkout).stateDirectory).toBe(state);
  });

  it('is the given one, made absolute', () => {
    expect(localPlace('../state', caller(`${checkout}/src`), checkout).stateDirectory).toBe(`${checkout}/state`);
  });

  it.each([undefined, checkout])('of a bundle is in the current folder', (found) => {
    const place = localPlace(undefined, caller('/home/ada', '/opt/rolealerts.mjs'), found);
    expect(place.stateDirectory).toBe('/home/ada/.rolealerts');
  });
});

describe('a printed command', () => {
  it('needs no flag for the folder of the checkout', () => {
    expect(localPlace(undefined, caller(`${checkout}/src`), checkout).commandFor('down')).toBe(`${npm} local down`);
  });

  it.each([
    ['/home/ada', 'state', '/home/ada/state'],
    [checkout, 'it is', `'${checkout}/it is'`],
  ])('in %s with the state folder %s has the flag', (folder, given, state) => {
    const { commandFor } = localPlace(given, caller(folder), checkout);
    expect(commandFor('down')).toBe(`${npm} local down --state-dir ${state}`);
  });

  it('of a bundle runs that file', () => {
    const bundle = `${checkout}/dist/rolealerts.mjs`;
    expect(localPlace('/s', caller(checkout, bundle), checkout).commandFor('up')).toBe(
      `/opt/node '${bundle}' local up --state-dir /s`,
    );
  });
});

it('the checkout is this one', () => {
  expect(findCheckout()).toBe(process.cwd());
});
