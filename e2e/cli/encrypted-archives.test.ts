/** Encrypted archives are read with their password, which is nowhere in the case. */
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ARCHIVES } from '../../importers/shared/testing/encrypted-zips.ts';
import { daybook } from '../harness.ts';
import { scratch } from '../window/shells.ts';

const space = scratch();
afterAll(() => space.remove());

const at = (name: string): string => path.join(space.folder, name);
const folder = at('a.daybook');
const passwords = at('passwords');
const LOCKED = 'encrypted, and its password was not given';

beforeAll(() => {
  for (const { name, bytes } of ARCHIVES) writeFileSync(at(`${name}.zip`), bytes);
  writeFileSync(at('wrong'), 'another\n');
  writeFileSync(passwords, 'another\r\ninfected\r\nGrüße\r\n');
});

function filesBelow(place: string): string[] {
  return readdirSync(place).flatMap((name) => {
    const one = path.join(place, name);
    return statSync(one).isDirectory() ? filesBelow(one) : [one];
  });
}

it('leaves out what is encrypted, and says how to read it', async () => {
  const run = await daybook(['import', folder, at('AES-256.zip')]);
  expect(run.status).toBe(1);
  expect(run.out).toContain(`AES-256.zip!auth.log: ignored: ${LOCKED}`);
  expect(run.err).toContain('--password-file FILE');
});

it('fails where no password is the right one', async () => {
  const run = await daybook(['import', folder, at('AES-256.zip'), '--password-file', at('wrong')]);
  expect(run.status).toBe(1);
  expect(run.out).toContain('failed: encrypted, and no password that was given opens it');
});

it('refuses a file of passwords that is not there, or has none', async () => {
  const absent = await daybook(['import', folder, at('AES-256.zip'), '--password-file', at('no')]);
  expect([absent.status, absent.err]).toEqual([1, expect.stringContaining('no such file')]);
  writeFileSync(at('empty'), '\n');
  const empty = await daybook([
    'import',
    folder,
    at('AES-256.zip'),
    '--password-file',
    at('empty'),
  ]);
  expect([empty.status, empty.err]).toEqual([2, expect.stringContaining('is empty')]);
});

it('reads them with their passwords, and notes it', async () => {
  const archives = ARCHIVES.map(({ name }) => at(`${name}.zip`));
  const run = await daybook(['import', folder, ...archives, '--password-file', passwords]);
  expect([run.status, run.err]).toEqual([0, '']);
  expect(run.out).toContain('note: encrypted (ZipCrypto), opened with a password');
  // All have the same content.
  expect((await daybook(['count', folder, 'failed'])).out.trim()).toBe('1');
});

it('takes passwords from standard input', async () => {
  const scan = ['scan', at('AES-256.zip'), '* | count', '--password-file', '-'];
  expect((await daybook(scan, {}, 'infected\n')).out).toContain('2');
  const without = await daybook(scan.slice(0, 3));
  expect([without.status, without.err]).toEqual([1, expect.stringContaining(LOCKED)]);
});

it('says in a verification what it could not open, and checks it with the password', async () => {
  const without = await daybook(['verify', folder]);
  expect(without.status).toBe(3);
  expect(without.out).toContain(`auth.log is ${LOCKED}`);
  expect(without.out).toContain('not checked');
  expect(without.out).not.toContain('no member');
  const given = await daybook(['verify', folder, '--password-file', passwords]);
  expect(given.status).toBe(0);
  expect(given.out).toContain('2 events of 1 source equal the evidence in every field');
});

it('has no password in the case', () => {
  for (const file of filesBelow(folder)) {
    const bytes = readFileSync(file);
    for (const password of ['infected', 'Grüße', 'another'])
      expect([file, bytes.includes(password)]).toEqual([file, false]);
  }
});
