import { expect, it } from 'vitest';
import { commonFolder } from './sections/sources.ts';

it.each([
  [['/a/b/c.log', '/a/b/d/e.log'], '/a/b/'],
  [['/a/bc/x', '/a/bd/x'], '/a/'],
  [['C:\\e\\x', 'C:\\e\\y'], 'C:\\e\\'],
  [['/a', '/b'], ''],
  [['/a/x', 'C:\\x'], ''],
  [[], ''],
])('finds the folder of %j', (paths, folder) => {
  expect(commonFolder(paths)).toBe(folder);
});
