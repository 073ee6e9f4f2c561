/** Every dialect is valid, names fields of the registry, and is distinguished from the others by its file. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDialect } from './dialect.ts';
import { DialectFinder } from '../registry/meanings.ts';
import { DOCUMENTS, generalNames, shippedDialects } from './dialects.ts';
import { fieldEntry } from '../registry/registry.ts';

it('has every file of its folder', () => {
  const files = readdirSync(path.join(import.meta.dirname, '../dialects'));
  expect(
    shippedDialects()
      .map(({ id }) => `${id}.json`)
      .sort(),
  ).toEqual(files.sort());
});

it('has none that is not of the format', () => {
  const read = () => DOCUMENTS.map((document, i) => readDialect(document, `dialect ${i + 1}`));
  expect(read).not.toThrow();
});

it('takes the names of ECS and OCSF from the registry', () => {
  expect(generalNames()['user']).toContain('user.name');
  expect(generalNames()['sha256']).toContain('file.hash.sha256');
  expect(generalNames()['command']).toContain('process.cmdline');
  expect(generalNames()['tls_sni']).toContain('tls.client.servername');
});

it.each<[string, object, string]>([
  ['a field that is none', { names: { nobody: 'x' } }, 'no field nobody'],
  [
    'a case of a field that is none',
    { when: { paths: 'a', cases: [{ in: '1', set: { x: 'y' } }] } },
    'no field x',
  ],
  [
    'a list of values that it does not have',
    { when: { paths: 'a', of: 'b', cases: [{ in: '1', of: 'sysmon' }] } },
    'no list sysmon',
  ],
  ['a member that the format has not', { colour: 'red' }, 'is not a valid dialect'],
])('says what is wrong with %s', (_, part, message) => {
  const document = { dialect: 'a', for: 'A', has: ['x y'], names: { user: 'u' }, ...part };
  expect(() => readDialect(document, 'a.json')).toThrow(message);
});

it.each('user.name event.code winlog.event_data.TargetUserName'.split(' '))(
  'compares %s without regard to case and marks',
  (name) => {
    const { names } = readDialect(
      { dialect: 'a', for: 'A', has: ['x'], names: { user: name } },
      'a.json',
    );
    expect(names['user']).toEqual([name.toLowerCase().replaceAll('_', '')]);
  },
);

it('looks for a member in each object that may hold it, in their order, and in the record', () => {
  const { names } = readDialect(
    { dialect: 'a', for: 'A', has: ['x'], within: 'data event.data', names: { user: '*.Name n' } },
    'a.json',
  );
  expect(names['user']).toEqual(['data.name', 'event.data.name', 'name', 'n']);
});

it('looks for a numbered member in lists without names, too', () => {
  const { names } = readDialect(
    {
      dialect: 'a',
      for: 'A',
      has: ['x'],
      within: 'ev',
      unnamed: 'Data',
      names: { user: '*.param2' },
    },
    'a.json',
  );
  expect(names['user']).toEqual(['ev.param2', 'param2', 'ev.data[#2]', 'data[#2]']);
});

it('the registry has the fields of the core sets', () => {
  const names =
    'user user_domain user_id user_email user_target process command parent_process parent_command md5 sha1 sha256 ' +
    'registry_key registry_value service_name logon_type logon_id cloud_account cloud_region email_from email_to ' +
    'email_subject tls_sni ja3 rule rule_id error_code event_code url http_method http_status query file_path';
  for (const name of names.split(' ')) expect(fieldEntry(name), name).toBeDefined();
});

const finder = new DialectFinder();
/** The members of a list of names, parts of members by their members' names. */
const membersOf = (paths: readonly string[]): string[] =>
  paths.map((one) => one.replace(/\[.*|\?.*/s, ''));

describe.each(shippedDialects().map((one) => [one.id, one] as const))('%s', (id, dialect) => {
  it('is told by each of its lists of names', () => {
    const found = dialect.has.map((paths) => finder.find(membersOf(paths)).id);
    expect(found).toEqual(dialect.has.map(() => id));
  });

  it('has a field for each of its names', () => {
    const meanings = finder.find(membersOf(dialect.has[0]!));
    const missing = Object.entries(dialect.names).flatMap(([field, paths]) =>
      membersOf(paths).filter((path) => {
        for (let one = meanings.of(path); one !== undefined; one = one.also)
          if (one.field === field) return false;
        return true;
      }),
    );
    expect(missing).toEqual([]);
  });
});
