/** The result of an investigation or a repair. */
import type { Hypothesis } from './runbook.ts'

export interface Conclusion {
  readonly detected: boolean
  /** Most likely first. */
  readonly hypotheses: readonly Hypothesis[]
  /** A summary in one or two sentences, for human readers. */
  readonly note: string
}
