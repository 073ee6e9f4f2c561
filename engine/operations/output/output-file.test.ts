import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOutput } from './output-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'daybook-output-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a file that is written', () => {
  const place = (): string => path.join(folder, 'rows.csv');

  it('is there when it is committed, for its owner alone', async () => {
    const file = await createOutput(place(), { overwrite: false });
    await file.write('a,b\n');
    expect(readdirSync(folder)).not.toContain('rows.csv');
    await file.commit();
    expect(readdirSync(folder)).toEqual(['rows.csv']);
    expect(readFileSync(place(), 'utf8')).toBe('a,b\n');
    expect(statSync(place()).mode & 0o777).toBe(0o600);
  });

  it('leaves nothing when it is given up, and what was there stays', async () => {
    writeFileSync(place(), 'before');
    const file = await createOutput(place(), { overwrite: true });
    await file.write('half');
    await file.abandon();
    expect(readdirSync(folder)).toEqual(['rows.csv']);
    expect(readFileSync(place(), 'utf8')).toBe('before');
  });

  it('does not replace a file that came while it was written', async () => {
    const file = await createOutput(place(), { overwrite: false });
    await file.write('ours');
    writeFileSync(place(), 'theirs');
    await expect(file.commit()).rejects.toThrow('exists already');
    await file.abandon();
    expect(readdirSync(folder)).toEqual(['rows.csv']);
    expect(readFileSync(place(), 'utf8')).toBe('theirs');
  });
});
