/** docs/fields.md matches the registry and the extractors. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { fieldsPage } from './describe.ts';
import { shippedExtractors } from '../cutting/extractors.ts';

/** Without the padding that formatting adds to tables. */
const plain = (page: string): string =>
  page.replace(/-+/g, '-').replace(/\s+/g, ' ').replaceAll('*', '_');

it('docs/fields.md is current: npm run fields-page writes it', () => {
  const file = path.join(import.meta.dirname, '../../../docs/fields.md');
  expect(plain(readFileSync(file, 'utf8'))).toBe(plain(fieldsPage(shippedExtractors())));
});
