/** Side files: what others may use of them. */
export { IndexDamaged } from './segment-indexes.ts';
export { sideFilePath } from './side-file.ts';
