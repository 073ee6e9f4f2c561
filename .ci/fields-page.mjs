/** Writes docs/fields.md from the registry of fields and the extractors. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { fieldsPage } from '../engine/fields/registry/describe.ts';
import { shippedExtractors } from '../engine/fields/cutting/extractors.ts';

const file = path.resolve(import.meta.dirname, '../docs/fields.md');
const options = await resolveConfig(file);
const page = fieldsPage(shippedExtractors());
writeFileSync(file, await format(page, { ...options, filepath: file }));
