/** Every extractor cuts out of its sample messages what its file says, and nothing out of those it leaves alone. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Cutter } from './cutter.ts';
import { type Extractor, programOf } from './extractor.ts';
import { shippedExtractors } from './extractors.ts';
import { cutFields } from './testing/cut-fields.ts';

const extractors = shippedExtractors();
const all = new Cutter(extractors);

it('has every file of its folder', () => {
  const files = readdirSync(path.join(import.meta.dirname, 'extractors'));
  expect(extractors.map(({ name }) => `${name}.json`).sort()).toEqual(files.sort());
});

describe.each(extractors.map((one): [string, Extractor] => [one.name, one]))('%s', (name, one) => {
  it.each(one.samples.map(({ message, program, fields }) => [message, program, fields] as const))(
    '%s',
    (message, program, fields) => {
      expect(cutFields(all, program, message)).toEqual({
        ...fields,
        extractor: `${name}/${one.version}`,
      });
    },
  );

  it('leaves other messages alone', () => {
    for (const message of one.uncut)
      expect([message, cutFields(all, programOf(one.programs), message)]).toEqual([message, {}]);
  });

  it('has a sample of every field that it fills', () => {
    const shown = new Set(one.samples.flatMap(({ fields }) => Object.keys(fields)));
    expect(one.fields.filter((field) => !shown.has(field) && !field.endsWith('_domain'))).toEqual(
      [],
    );
  });
});
