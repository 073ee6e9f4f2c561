/** Time zones live with the contract: the engine's retiming and queries use the same rules. */
export { resolveZone, UTC, Zone } from '../../engine/contract/zone.ts';
