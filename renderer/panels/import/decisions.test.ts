import { describe, expect, it } from 'vitest';
import {
  groupsOf,
  importItems,
  receivedRoots,
  replacePreviews,
  undecidedFiles,
  type Preview,
} from './decisions.ts';

const preview = (source: string, path: string, members: string[] = [], tz?: string): Preview => ({
  ...{ source, path, members, records: { rows: 0, columns: [] }, quarantined: [] },
  ...{ skippedReasons: {}, decisions: tz === undefined ? {} : { tz }, notes: [] },
  asks: { zone: true, year: false, dateOrder: false, mapping: false },
});

describe('the items of an import', () => {
  it('take what was decided for all, and their own before it', () =>
    expect(
      importItems(
        ['/e', '/a.log'],
        { tz: 'Europe/Vienna' },
        {
          '/a.log': { tz: '+02:00', year: 2005 },
          '/e/b.log': { format: 'bsd' },
          '/e/c.log': { tz: undefined },
        },
      ),
    ).toEqual([
      { path: '/e', tz: 'Europe/Vienna' },
      { path: '/a.log', tz: '+02:00', year: 2005 },
      { path: '/e/b.log', tz: 'Europe/Vienna', format: 'bsd' },
    ]));

  it('are looked at together when they were decided alike', () =>
    expect(groupsOf(['/a', '/b', '/c'], { tz: 'UTC' }, { '/b': { year: 2020 } })).toEqual([
      { options: { tz: 'UTC' }, paths: ['/a', '/c'] },
      { options: { tz: 'UTC', year: 2020 }, paths: ['/b'] },
    ]));
});

describe('a decision for all', () => {
  const previews = [
    preview('a.log', '/a.log'),
    preview('x.tar!1', '/x.tar', ['1']),
    preview('x.tar!2', '/x.tar', ['2']),
  ];

  it('changes the files that ask for it and have none of their own, each once', () => {
    expect(undecidedFiles(previews, {}, { tz: 'UTC' })).toEqual(['/a.log', '/x.tar']);
    expect(undecidedFiles(previews, { '/a.log': { tz: '+02:00' } }, { tz: 'UTC' })).toEqual([
      '/x.tar',
    ]);
    expect(undecidedFiles(previews, {}, { year: 2005 })).toEqual([]);
  });

  it('changes all files where it is about the clock, also when it is taken back', () => {
    const bySource = { '/a.log': { clock: '90s fast' } };
    expect(undecidedFiles(previews, bySource, { clock: undefined })).toEqual(['/x.tar']);
  });
});

describe('a file that is looked at again', () => {
  it('stays in its place under its name, with all that is in it', () => {
    const before = [
      preview('e/a.log', '/e/a.log'),
      preview('e/x.tar!1', '/e/x.tar', ['1']),
      preview('e/x.tar!2', '/e/x.tar', ['2']),
      preview('e/z.log', '/e/z.log'),
    ];
    const fresh = [
      preview('x.tar!1', '/e/x.tar', ['1'], '+01:00'),
      preview('x.tar!2', '/e/x.tar', ['2'], '+01:00'),
    ];
    expect(
      replacePreviews(before, '/e/x.tar', fresh).map((one) => [one.source, one.decisions.tz]),
    ).toEqual([
      ['e/a.log', undefined],
      ['e/x.tar!1', '+01:00'],
      ['e/x.tar!2', '+01:00'],
      ['e/z.log', undefined],
    ]);
  });
});

describe('received files', () => {
  it('are imported by the folder that was dropped', () =>
    expect(
      receivedRoots(
        ['/c/received/u/web/a.log', '/c/received/u/web/old/b.log', '/c/received/u/one.pcap'],
        ['web/a.log', 'web/old/b.log', 'one.pcap'],
      ),
    ).toEqual(['/c/received/u/web', '/c/received/u/one.pcap']));
  it('on Windows, too', () =>
    expect(receivedRoots(['C:\\c\\received\\u\\web\\a.log'], ['web/a.log'])).toEqual([
      'C:\\c\\received\\u\\web',
    ]));
});
