import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { Catalog } from '../../catalog/catalog.ts';
import type { ImportStatus } from '../../catalog/tables/imports.ts';
import { argumentsOf, listImports } from './import-history.ts';

const root = mkdtempSync(join(tmpdir(), 'daybook-history-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const path = join(root, 'a.log');
writeFileSync(path, 'x');

let catalog: Catalog;
beforeEach(() => {
  const folder = mkdtempSync(join(root, 'case-'));
  catalog = Catalog.open(folder, { create: true });
  return () => catalog.close();
});

const options = { timeZone: '+02:00', packets: true, flows: true };
const told = { items: [{ path, options }], recursive: true };
const before = { paths: [path], options };

it.each<[string, unknown, ImportStatus, boolean]>([
  ['cancelled', told, 'cancelled', true],
  ['failed', told, 'failed', true],
  ['interrupted', told, 'interrupted', true],
  ['nobody carries on', told, 'running', true],
  ['complete', told, 'complete', false],
  ['arguments as they were stored before', before, 'cancelled', true],
  ['standard input', { ...told, items: [{ path: '-', options }] }, 'cancelled', false],
  ['evidence that is gone', { ...told, items: [{ path: '/nowhere', options }] }, 'failed', false],
  ['arguments that are none', { recursive: true }, 'failed', false],
  ['arguments of another kind', [1, 'x', null], 'failed', false],
])('%s', (_, args, status, resumable) => {
  const id = catalog.imports.begin(args);
  if (status !== 'running') catalog.imports.finish(id, status);
  const [listed] = listImports(catalog, false);
  expect(listed).toMatchObject({
    ...{ id, resumable, status: status === 'running' ? 'interrupted' : status },
  });
  if (resumable) {
    expect(argumentsOf(catalog, id)).toEqual({
      items: [
        {
          path,
          options: {
            ...options,
            ...{ protocols: true, format: undefined, mapping: undefined, year: undefined },
          },
        },
      ],
      recursive: true,
    });
  }
});

it.each([
  ['complete', told, 'complete'],
  ['standard input', { ...told, items: [{ path: '-', options }] }, 'failed'],
  ['arguments that are none', { recursive: true }, 'failed'],
] as const)('%s is not told again', (_, args, status) => {
  const id = catalog.imports.begin(args);
  catalog.imports.finish(id, status);
  expect(() => argumentsOf(catalog, id)).toThrow(/cannot be repeated|is complete/);
});

it('only the last import that was told the same is resumed, and none while one runs', () => {
  for (const args of [before, told, { ...told, recursive: false }])
    catalog.imports.finish(catalog.imports.begin(args), 'cancelled');
  const resumable = (runs: boolean) =>
    listImports(catalog, runs).map((one) => [one.id, one.resumable]);
  expect(resumable(false)).toEqual([
    [3, true],
    [2, true],
    [1, false],
  ]);
  catalog.imports.begin({ items: [{ path: root, options }], recursive: true });
  expect(resumable(true).every(([, one]) => one === false)).toBe(true);
});
