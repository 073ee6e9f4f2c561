/** The steps at which a command to be killed stops, and the pipes it uses to ask. */
export const STEPS = [
  ...(['rename', 'unlink', 'rm', 'mkdir', 'mkdtemp', 'write', 'writeFile', 'fsync'] as const),
  ...(['ftruncate', 'statement', 'commit'] as const),
];
export type Step = (typeof STEPS)[number];

/** File descriptors of the command. */
export const ASKED = 3;
export const ANSWERS = 4;
