/** Peers that the system's package manager has. */
import { available, measure } from '../process.ts';
import { Missing } from '../peers/store.ts';

let updated = false;

/**
 * Makes sure that a program is installed; installs its Debian package where that is permitted. The system's
 * services are not started: the experiments start private ones.
 * @throws Missing
 */
export async function needProgram(
  program: string,
  debianPackage: string,
  args: readonly string[] = ['--version'],
): Promise<void> {
  if (await available(program, args)) return;
  if (process.getuid?.() === 0 && (await available('apt-get'))) {
    console.error(`installing ${debianPackage}`);
    const env = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
    if (!updated) await measure('apt-get', ['update', '-q'], env);
    updated = true;
    const done = await measure(
      'apt-get',
      ['install', '-q', '-y', '--no-install-recommends', debianPackage],
      env,
    );
    if (done.exit === 0 && (await available(program, args))) return;
    throw new Missing(`${debianPackage} cannot be installed: ${done.err.trim().slice(-200)}`);
  }
  throw new Missing(`${program} is not here (Debian package ${debianPackage})`);
}
