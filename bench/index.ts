/** Public interface of the benchmarks, for scripts, proofs and tests. */
export { trainTicketDeployments } from './kube-parts/train-ticket.ts'
export { type Program, readArguments } from './measure/parse-program.ts'
export { type BenchResult, type ResultRow, readResult } from './measure/result.ts'
export { createStopSignal } from './measure/stop-signal.ts'
