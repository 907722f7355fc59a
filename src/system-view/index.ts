/** A system as faults, problems and oracles look at it. */
export { createSystemView } from './create-system-view.ts'
