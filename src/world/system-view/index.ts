/** The view of a system for faults, problems and oracles. */
export { createSystemView } from './create-system-view.ts'
