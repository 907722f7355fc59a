/** Checks that this machine meets the requirements of the attempts, before a validation creates files. */
import { existsSync } from 'node:fs'
import type { openLedger, planSuite } from '#lab/validation'

export interface Preparation {
  /** The name of the engine. */
  readonly engine: string
  /** The path of the ledger; undefined if it is in memory only. */
  readonly path: string | undefined
  open(): ReturnType<typeof openLedger>
  progress(line: string): void
}

type Plan = ReturnType<typeof planSuite>

const isFinished = (plan: Plan, { path, open }: Preparation): boolean => {
  if (path === undefined || !existsSync(path)) return false
  const ledger = open()
  try {
    return plan.every(({ problem, attempts }) => attempts.every(({ name }) => ledger.has(problem.id, name)))
  } finally {
    ledger.close()
  }
}

/** Checks nothing if the engine does not use the machine, or if the ledger contains every planned attempt. */
export const prepareValidation = async (plan: Plan, preparation: Preparation): Promise<void> => {
  const { usesMachine } = await import('#lab/workers')
  if (!usesMachine(preparation.engine) || isFinished(plan, preparation)) return
  const { ensureMachine } = await import('#lab/tools')
  await ensureMachine(preparation.progress)
}
