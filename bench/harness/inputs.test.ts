import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { inputOf } from './inputs.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-inputs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('is made once, and again when it was cut short or its generator changed', () => {
  const generator = join(folder, 'generator.ts');
  writeFileSync(generator, 'one');
  let times = 0;
  const take = () =>
    inputOf(folder, join(folder, 'kept'), pathToFileURL(generator), 'lines-3.log', (file) => {
      times += 1;
      writeFileSync(file, 'abc');
      return { bytes: 3, sha256: 'of abc' };
    });
  const made = take();
  expect(readFileSync(made.file, 'utf8')).toBe('abc');
  expect(take()).toEqual(made);
  expect(times).toBe(1);
  truncateSync(made.file, 2);
  expect(take()).toEqual(made);
  expect(times).toBe(2);
  writeFileSync(generator, 'two');
  take();
  expect(times).toBe(3);
});

test('lies in the folder of the run where none is kept', () => {
  const made = inputOf(folder, undefined, pathToFileURL(folder), 'a.log', (file) => {
    writeFileSync(file, 'a');
    return { bytes: 1, sha256: 'of a' };
  });
  expect(made).toEqual({ file: join(folder, 'a.log'), bytes: 1, sha256: 'of a' });
});
