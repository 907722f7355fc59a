/** Public interface for tests of other rooms: plays a repair without a real cluster. */
export { playRepair, type RepairCase } from './play-repair.ts'
