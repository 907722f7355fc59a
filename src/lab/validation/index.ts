/** Public interface of validation: proves that doing nothing fails, the reference and other right repairs pass, and no hack passes. */
export {
  type AttemptMetrics,
  type AttemptResult,
  attemptMetricsOf,
  type FinishedAttempt,
  type ValidationJob,
} from './attempt.ts'
export { attemptMark } from './attempt-mark.ts'
export { openLedger } from './ledger.ts'
export { hackNameOf, type PlanOptions } from './plan-attempts.ts'
export { planSuite } from './plan-suite.ts'
export { type FinishedLedger, readLedger } from './read-ledger.ts'
export type { ProblemValidity, Validity } from './summarise.ts'
export { type Progress, VALIDATION_WORKER, type ValidationOptions, validateSuite } from './validate-suite.ts'
export { type DocumentHead, validityDocument } from './validity-document.ts'
