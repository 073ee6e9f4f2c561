/** All attacks, in the order in which they are run. */
import { archives } from './archives.ts';
import type { Attack } from './attack.ts';
import { clickhouse } from './clickhouse.ts';
import { damage } from './damage.ts';
import { decoders } from './decode.ts';
import { disk } from './disk.ts';
import { hostile } from './hostile.ts';
import { kills } from './kills.ts';
import { mutations } from './mutations.ts';
import { protocols } from './protocols.ts';
import { queries } from './queries.ts';

export const ATTACKS: readonly Attack[] = [
  ...[kills, mutations, queries, clickhouse, damage, hostile, decoders, protocols, archives, disk],
];
