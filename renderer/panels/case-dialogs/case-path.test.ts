import { describe, expect, it } from 'vitest';
import { casePathOf, suggestedName } from './case-path.ts';

describe('the path of a new case', () => {
  it.each([
    ['/home/ann/cases', 'acme', '/home/ann/cases/acme.daybook'],
    ['/home/ann/cases/', ' acme 2 ', '/home/ann/cases/acme 2.daybook'],
    ['C:\\Users\\ann', 'acme', 'C:\\Users\\ann\\acme.daybook'],
    ['/c', '../../etc/passwd', '/c/-..-etc-passwd.daybook'],
    ['/c', 'a/b:c', '/c/a-b-c.daybook'],
    ['/c', '..', ''],
    ['/c', '  ', ''],
  ])('%s and %j make %s', (folder, name, path) => expect(casePathOf(folder, name)).toBe(path));
});

describe('a suggested name', () => {
  const now = new Date(2026, 10, 2);
  it('is of the day', () => expect(suggestedName(now, [])).toBe('case-2026-11-02'));
  it('is not one that is taken', () =>
    expect(suggestedName(now, ['case-2026-11-02', 'case-2026-11-02-2'])).toBe('case-2026-11-02-3'));
});
