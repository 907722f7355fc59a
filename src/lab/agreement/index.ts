/** Public interface of the agreement of engines: compares the validations of the same problems on local and simulated clusters. */
export { agreementDocument, agreementSentence } from './agreement-document.ts'
export { pairAttempts } from './pair-attempts.ts'
export { withMetrics } from './read-metrics.ts'
export { type Agreement, summariseAgreement } from './summarise-agreement.ts'
