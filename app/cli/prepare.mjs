/**
 * Bundles the command line after an installation, if possible. Never fails: without a bundle it runs from its
 * sources. Plain JavaScript, for any Node.
 */
/** It takes seconds. */
const MOST_MS = 120_000;

if (Number(process.versions.node.split('.')[0]) >= 24) {
  try {
    const { ensureCommandLine } = await import('./bundle.ts');
    // A build that was stopped may have left its lock, and another process may have its number by now.
    await ensureCommandLine(() => undefined, AbortSignal.timeout(MOST_MS));
  } catch {
    // For example, development packages are missing.
  }
}
