/** The result of one playbook: how it ended, how its tasks ended, and what Ansible printed. */
import type { TaskResult } from './task-reporter.ts'

export interface PlaybookReport {
  /** Whether the playbook ran to its end. Failed tasks that were ignored or rescued do not matter. */
  readonly ok: boolean
  /** Whether vetting rejected the playbook. It did not run then; `findings` has the reasons. */
  readonly isRefused: boolean
  /** Findings of the vetting: warnings, or the reasons for a rejection. */
  readonly findings: readonly string[]
  /**
   * The results that the playbook's own process reports. It can forge them, so `ok` does not depend on them. Long lists are
   * truncated in the middle.
   */
  readonly tasks: readonly TaskResult[]
  /** The output of Ansible, truncated in the middle; the reasons if the playbook was rejected. */
  readonly output: string
  readonly milliseconds: number
  /** The objects that a rollback restored, such as `Deployment/cart`. Absent if no rollback took place. */
  readonly rolledBack?: readonly string[]
}
