/** What a command that is to be killed stops before, and the pipes it asks over. */
export const STEPS = [
  ...(['rename', 'unlink', 'rm', 'mkdir', 'mkdtemp', 'write', 'writeFile', 'fsync'] as const),
  ...(['ftruncate', 'statement', 'commit'] as const),
];
export type Step = (typeof STEPS)[number];

/** File descriptors of the command. */
export const ASKED = 3;
export const ANSWERS = 4;
