/** What tests of other rooms use: playing a repair without a real cluster. */
export { playRepair, type RepairCase } from './play-repair.ts'
