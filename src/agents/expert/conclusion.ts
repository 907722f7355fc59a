/** What the Expert comes to in the end. */
import type { Hypothesis } from './runbook.ts'

export interface Conclusion {
  readonly detected: boolean
  /** The likeliest first. */
  readonly hypotheses: readonly Hypothesis[]
  /** In a sentence or two, for whoever reads it later. */
  readonly note: string
}
