/** Public interface of episodes: laboratories, incidents prepared on them, and the laboratory's own solvers. */
export type {
  AttemptOutcome,
  Incident,
  PrepareOptions,
} from './incident.ts'
export { LABORATORY } from './laboratory/laboratory-namespace.ts'
export { type Laboratory, openLaboratory } from './laboratory/open-laboratory.ts'
export * from './record/record-file.ts'
export * from './solvers/answer-solver.ts'
export * from './solvers/do-nothing.ts'
export * from './solvers/hack-solver.ts'
export * from './solvers/reference-solver.ts'
export { createAgentAccounts, openAgentAccess } from './solving/agent-access.ts'
