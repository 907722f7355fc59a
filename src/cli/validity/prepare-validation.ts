/** Sees before a validation has a ledger or a folder that this machine has what its attempts need. */
import { existsSync } from 'node:fs'
import type { openLedger, planSuite } from '../../runs/index.ts'

export interface Preparation {
  /** Of the ledger; absent where it is kept in memory alone. */
  readonly path: string | undefined
  open(): ReturnType<typeof openLedger>
  progress(line: string): void
}

type Plan = ReturnType<typeof planSuite>

const isOver = (plan: Plan, { path, open }: Preparation): boolean => {
  if (path === undefined || !existsSync(path)) return false
  const ledger = open()
  try {
    return plan.every(({ problem, attempts }) => attempts.every(({ name }) => ledger.has(problem.id, name)))
  } finally {
    ledger.close()
  }
}

/** Wants nothing where the ledger holds all that is planned. */
export const prepareValidation = async (plan: Plan, preparation: Preparation): Promise<void> => {
  if (isOver(plan, preparation)) return
  const { ensureMachine } = await import('../tools/ensure-machine.ts')
  await ensureMachine(preparation.progress)
}
