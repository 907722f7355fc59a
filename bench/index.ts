/** Public interface of the benchmarks: what scripts, proofs and tests share with them. */
export { trainTicketDeployments } from './kube-parts/train-ticket.ts'
export { type Program, readArguments } from './measure/parse-program.ts'
export { type BenchResult, type ResultRow, readResult } from './measure/result.ts'
export { createStopSignal } from './measure/stop-signal.ts'
