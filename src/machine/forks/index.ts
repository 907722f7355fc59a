/** Public interface of forks: processes that copy themselves at a point of their program, once for each order of their supervisor. */
export { compactMemory } from '#machine/linux'
export { continueInForks } from './continue-in-forks.ts'
export { type ForkedProcess, type ForkRoot, startForks } from './start-forks.ts'
export { type BlockingLink, connectToSupervisor, type SupervisorLink } from './supervisor-link.ts'
