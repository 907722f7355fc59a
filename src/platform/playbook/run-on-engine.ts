/** Runs a playbook by the engine of the cluster instead of Ansible. */
import { type EnginePlaybook, RemediumError, type RunEnginePlaybook, toRemediumError } from '#spec'
import type { PlaybookReport } from './playbook-report.ts'

/**
 * Rejects with a RemediumError if the engine fails, and with `unsupported` if it does not support a part of the playbook: other
 * errors would be blamed on the solver.
 */
export const runOnEngine = async (
  run: RunEnginePlaybook,
  playbook: EnginePlaybook,
): Promise<PlaybookReport> => {
  const { ok, output, tasks, milliseconds, unsupported } = await run(playbook).catch((error) => {
    throw toRemediumError(error)
  })
  if (unsupported !== undefined)
    throw new RemediumError('unsupported', `The engine cannot run the playbook: ${unsupported}.`)
  return { ok, isRefused: false, findings: [], tasks, output, milliseconds }
}
