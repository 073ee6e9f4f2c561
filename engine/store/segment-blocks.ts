/** Block sizes of segment files. */

/**
 * Block sizes, measured on syslog. A block is the least that a file can grow by, but in small blocks numbers are
 * not packed: 20,000 rows take 1,180 KB in blocks of 16 KB, 780 of 64 KB, 1,036 of 256 KB; 500 rows 60, 140 and
 * 524.
 */
export const BLOCK = 65_536;
export const SMALL_BLOCK = 16_384;
/** Input below this size gets small blocks. */
export const SMALL_BYTES = 1 << 20;
