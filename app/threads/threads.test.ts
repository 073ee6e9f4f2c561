import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { v8Flags } from './threads.ts';

it.each(v8Flags(Infinity))('V8 knows %s: it ignores unknown flags silently', (flag) => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  const name = flag.replace(/^--(no-)?/, '').replace(/=.*/, '');
  expect(known).toMatch(new RegExp(`^ +--(\\[no-\\])?${name} `, 'm'));
});
