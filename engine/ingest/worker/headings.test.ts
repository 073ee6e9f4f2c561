/**
 * Tables with headings in any language are recognised by their structure, with the time that their values show;
 * logs with the same number of delimiters in every line are not.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { importers } from '../../../importers/registry.ts';
import { Catalog } from '../../catalog/catalog.ts';
import { importInProcess } from '../testing/in-process.ts';
import { recognise } from './recognise.ts';

function formatOf(text: string): string | undefined {
  const head = { bytes: new TextEncoder().encode(text), complete: true };
  return recognise(importers, head, 'a', undefined)?.result.format;
}

const FIRST = Date.UTC(2024, 2, 22, 14, 5, 11) * 1000;
const [DOTS, SLASHES, ISO] = ['22.03.2024', '22/03/2024', '2024-03-22'];
const CLOCKS = ['14:05:11', '14:06:00', '14:09:59'];
const rows = (row: (clock: string) => string) => CLOCKS.map((clock) => `${row(clock)}\n`).join('');

const TABLES: readonly [string, string][] = [
  ['German', `Zeitstempel;Benutzer;Aktion\n${rows((t) => `${DOTS} ${t};max;Anmeldung`)}`],
  [
    'German, days and times apart',
    `Datum;Uhrzeit;Quell-IP;Größe (Bytes)\n${rows((t) => `${DOTS};${t};10.0.0.1;1200`)}`,
  ],
  ['German, two columns', `Zeit;Meldung\n${rows((t) => `${DOTS} ${t};Dienst beendet`)}`],
  [
    'German, of the event viewer',
    `"Ebene","Datum und Uhrzeit","Quelle","Ereignis-ID"\n${rows((t) => `"Warnung","${DOTS} ${t}","DNS, lokal","4624"`)}`,
  ],
  [
    'French',
    `Horodatage,Nom d'utilisateur,Adresse IP,Événement\n${rows((t) => `${ISO} ${t},luc,10.0.0.1,Échec`)}`,
  ],
  [
    'French, with a typographic apostrophe',
    `Date/heure;Source;N° d’événement\n${rows((t) => `${SLASHES} ${t};Service;7036`)}`,
  ],
  ['Spanish', `Fecha,Hora,Usuario,Acción\n${rows((t) => `${SLASHES},${t},juan,cierre`)}`],
  [
    'Russian',
    `Дата и время;Пользователь;Действие;№ события\n${rows((t) => `${DOTS} ${t};иван;вход;1`)}`,
  ],
  ['Japanese', `日付,時刻,ユーザー名,種類\n${rows((t) => `2024/03/22,${t},田中,失敗`)}`],
  ['Chinese', `时间,用户,操作\n${rows((t) => `${ISO} ${t},张三,登录`)}`],
  ['Hindi', `समय,उपयोगकर्ता,क्रिया\n${rows((t) => `${ISO} ${t},amit,विफल`)}`],
  ['Arabic', `التاريخ,المستخدم,الإجراء\n${rows((t) => `${ISO} ${t},علي,دخول`)}`],
  ['Portuguese, by tabs', `Data e hora\tUsuário\n${rows((t) => `${ISO}T${t}\tjoão`)}`],
];

describe.each(TABLES)('%s', (_, text) => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'daybook-headings-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it.each(['utf8', 'utf16le', 'latin1'] as const)('is a table, in %s', async (encoding) => {
    // Windows-1252 cannot encode these letters.
    if (encoding === 'latin1' && /[^\0-\xff]/.test(text)) return;
    const mark = encoding === 'utf16le' ? '\ufeff' : '';
    writeFileSync(join(folder, 'a'), Buffer.from(`${mark}${text}`, encoding));
    const { sources } = await importInProcess(join(folder, 'case'), [join(folder, 'a')]);
    expect(sources[0]).toMatchObject({ dialect: 'table', stored: 3 });
    const catalog = Catalog.open(join(folder, 'case'));
    try {
      expect(catalog.sources.all()[0]).toMatchObject({ firstTs: FIRST });
      const [heading = ''] = text.split('\n');
      const name = heading
        .split(/[;,\t]/)
        .at(-1)!
        .replaceAll('"', '');
      const columns = catalog.segments.all().flatMap((segment) => [...segment.columns]);
      if (name !== 'Meldung') expect(columns).toContain(`a:${name}`);
    } finally {
      catalog.close();
    }
  });
});

it.each([
  [
    'a banner before the lines',
    'Protokoll geöffnet; Version drei\n2024-03-22 14:05:11 start; ok\n',
  ],
  [
    'lines of a log with commas',
    rows((t) => `2024-03-22 ${t},123 INFO web, request done, status 200`),
  ],
  [
    'a first line unlike the others',
    `Server started, listening, ready\n${rows((t) => `2024-03-22 ${t} request done`)}`,
  ],
  [
    'a first line that is cut off',
    `ror found, table users, code none\n${rows((t) => `2024-03-22 ${t} error found, table users, code none`)}`,
  ],
  [
    'a first line of pairs that is cut off',
    `devname=fw,type=utm,user=max\n${rows((t) => `Mar 22 ${t} fw app: devname=fw,type=utm,user=max`)}`,
  ],
  [
    'a first line that is cut off, of times in brackets',
    `user,action,item\n${rows((t) => `[2024-03-22 ${t}] user,action,item`)}`,
  ],
  [
    'a first line that is cut off, of times with a comma',
    `ion failed,retry\n${rows((t) => `2024-03-22 ${t},123 - root - INFO`)}`,
  ],
  ['a sentence before a line', 'boot, init, load, run\n2024-03-22 14:05:11 a1, b, c, d\n'],
  ['prose', 'Guten Tag, wie geht es, Ihnen\nmir geht, es, gut\n'],
])('takes %s for a log', (_, text) => {
  expect(formatOf(text)).not.toBe('table');
});

it('takes a column of numbers for no time, nor one of several times', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-headings-'));
  try {
    const none = {
      'numbers.csv': `Vorgang;Benutzer;Wert\n1711116311;max;1\n1711116360;eva;2\n1711116599;max;3\n`,
      'several.csv': `Konto;Erstellt;Geändert\n${rows((t) => `max;${ISO} ${t};${ISO} ${t}`)}`,
    };
    for (const [name, text] of Object.entries(none)) writeFileSync(join(folder, name), text);
    const { sources } = await importInProcess(
      join(folder, 'case'),
      Object.keys(none).map((name) => join(folder, name)),
    );
    for (const source of sources)
      expect(source).toMatchObject({ dialect: 'table', stored: 3, decisions: {} });
    const catalog = Catalog.open(join(folder, 'case'));
    try {
      expect(catalog.sources.all().map(({ firstTs }) => firstTs)).toEqual([undefined, undefined]);
    } finally {
      catalog.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
