/** Opens the case of a command that reads one. */
import { CaseSession } from '../../engine/search/index.ts';
import type { CommandContext } from './command.ts';

/**
 * Opens a case while `use` runs, and returns its result.
 * @throws DaybookError not-found and others if the folder is not a case
 */
export async function withCase(
  folder: string,
  { queryMemory: memoryLimit, threads }: CommandContext['settings'],
  use: (session: CaseSession) => Promise<number>,
): Promise<number> {
  const session = CaseSession.open(folder, { memoryLimit, threads });
  try {
    return await use(session);
  } finally {
    await session.close();
  }
}
