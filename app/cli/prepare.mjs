/**
 * Bundles the command line behind an installation, where that is possible. Never fails: without a bundle
 * it runs from its sources. Plain JavaScript, for any Node.
 */
if (Number(process.versions.node.split('.')[0]) >= 24) {
  try {
    const { ensureCommandLine } = await import('./bundle.ts');
    await ensureCommandLine(() => undefined);
  } catch {
    // Such as without the packages of development.
  }
}
