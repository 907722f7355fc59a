/** Runs the playbooks of run_playbook, and rolls them back according to the policy. */
import type { PlaybookReport, PlaybookRunner } from '#platform/playbook'
import type { SystemSnapshot } from '#spec'
import type { Playbooks } from '../ports.ts'

type Request = Parameters<Playbooks['run']>[0]

/** Takes no signal: a rollback is completed even if the agent's time is spent meanwhile. */
const rollBack = async (
  { onEvent }: Request,
  snapshot: SystemSnapshot,
): Promise<Pick<PlaybookReport, 'rolledBack'>> => {
  const rolledBack = await snapshot.revert()
  onEvent({ type: 'playbook-rolled-back', objects: rolledBack })
  return { rolledBack }
}

const explainFailedRollback = (error: unknown): string =>
  `the changes could not be rolled back: ${error instanceof Error ? error.message : String(error)}`

/** Marks a playbook that completed but did harm as failed, with the reason. */
const checkHarm = async (
  report: PlaybookReport,
  { rollback, signal }: Request,
  snapshot: SystemSnapshot,
): Promise<PlaybookReport> => {
  if (!report.ok || rollback !== 'on-harm') return report
  const harmed = await snapshot.findHarm(signal)
  if (harmed.length === 0) return report
  const reason = `these objects were ready before the playbook and did not become ready again, so the playbook counts as failed: ${harmed.join(', ')}`
  return { ...report, ok: false, findings: [...report.findings, reason] }
}

/** `createRunner` creates the runner for the account of a request. */
export const createPlaybooks = (
  createRunner: (request: Pick<Request, 'api' | 'kubeconfig' | 'namespace'>) => PlaybookRunner,
): Playbooks => {
  const runPlaybook = (request: Request): Promise<PlaybookReport> => {
    const { text, signal, onEvent } = request
    return createRunner(request).run(text, {
      signal,
      onVetted: ({ findings, isRefused }) => onEvent({ type: 'playbook-vetted', findings, isRefused }),
      onTask: (result) => onEvent({ type: 'task-ended', ...result }),
    })
  }
  const runOrRollBack = async (request: Request, snapshot: SystemSnapshot): Promise<PlaybookReport> => {
    const report = await checkHarm(await runPlaybook(request), request, snapshot)
    if (report.ok || report.isRefused) return report
    try {
      return { ...report, ...(await rollBack(request, snapshot)) }
    } catch (error) {
      return { ...report, findings: [...report.findings, explainFailedRollback(error)] }
    }
  }
  return {
    async run(request) {
      if (request.rollback === 'never') return runPlaybook(request)
      const snapshot = await request.takeSnapshot()
      try {
        return await runOrRollBack(request, snapshot)
      } finally {
        snapshot.release()
      }
    },
  }
}
