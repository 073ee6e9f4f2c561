/** docs/fields.md is what the registry and the extractors say. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { fieldsPage } from './describe.ts';
import { shippedExtractors } from '../cutting/extractors.ts';

/** Without what formatting a table adds. */
const plain = (page: string): string =>
  page.replace(/-+/g, '-').replace(/\s+/g, ' ').replaceAll('*', '_');

it('docs/fields.md is current: npm run fields-page writes it', () => {
  const file = path.join(import.meta.dirname, '../../../docs/fields.md');
  expect(plain(readFileSync(file, 'utf8'))).toBe(plain(fieldsPage(shippedExtractors())));
});
