import { describe, expect, it } from 'vitest';
import { filesBelow } from './dropped-files.ts';

type Tree = { [name: string]: string | Tree };

/** Entries as a browser returns them: a folder's children in two batches, then none. */
function entry(name: string, content: string | Tree | Error): FileSystemEntry {
  const base = { name, fullPath: name, isFile: false, isDirectory: false };
  if (typeof content === 'string') {
    const file = (resolve: (file: File) => void) => resolve(new File([content], name));
    return { ...base, isFile: true, file } as unknown as FileSystemEntry;
  }
  const createReader = () => {
    const left = content instanceof Error ? [] : Object.entries(content);
    return {
      readEntries: (
        resolve: (entries: FileSystemEntry[]) => void,
        reject: (error: Error) => void,
      ) =>
        content instanceof Error
          ? reject(content)
          : resolve(left.splice(0, 2).map(([child, inner]) => entry(child, inner))),
    };
  };
  return { ...base, isDirectory: true, createReader } as unknown as FileSystemEntry;
}

describe('dropped files', () => {
  it('keep their path inside of what was dropped', async () => {
    const { files, cut, unreadable } = await filesBelow([
      entry('web', { 'b.log': 'b', 'a.log': 'a', old: { 'c.log': 'c' }, 'd.log': 'd' }),
      entry('single.pcap', 'x'),
    ]);
    expect(files.map((file) => file.webkitRelativePath || file.name)).toEqual([
      ...['web/a.log', 'web/b.log', 'web/d.log', 'web/old/c.log'],
      'single.pcap',
    ]);
    expect({ cut, unreadable }).toEqual({ cut: false, unreadable: [] });
  });

  it('name what cannot be read and go on', async () => {
    const { files, unreadable } = await filesBelow([
      entry('locked', new Error('no')),
      entry('a.log', 'a'),
    ]);
    expect(files).toHaveLength(1);
    expect(unreadable).toEqual(['locked']);
  });
});
