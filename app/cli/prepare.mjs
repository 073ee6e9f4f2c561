/**
 * Bundles the command line behind an installation, where that is possible. Never fails: without a bundle
 * it runs from its sources. Plain JavaScript, for any Node.
 */
/** What it takes is seconds. */
const MOST_MS = 120_000;

if (Number(process.versions.node.split('.')[0]) >= 24) {
  try {
    const { ensureCommandLine } = await import('./bundle.ts');
    // A build that was stopped may have left its lock, and another process may have its number by now.
    await ensureCommandLine(() => undefined, AbortSignal.timeout(MOST_MS));
  } catch {
    // Such as without the packages of development.
  }
}
