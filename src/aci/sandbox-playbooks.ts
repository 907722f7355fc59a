/** Playbooks of run_playbook in a sandbox: vetted, run, and taken back where they fail and that is wanted. */
import { createPlaybookRunner, rollBack, type Snapshot, snapshotObjects } from '../playbook/index.ts'
import type { Sandbox } from '../sandbox/index.ts'
import type { SolverEvent } from '../spec/index.ts'
import type { PlaybookReport, Playbooks } from './ports.ts'

type Request = Parameters<Playbooks['run']>[0]

/** Where the time is up there is nobody any more in whose name something could be done. */
const takeBack = async (
  { api, signal, onEvent }: Request,
  snapshot: Snapshot,
): Promise<Pick<PlaybookReport, 'rolledBack'> | undefined> => {
  if (signal.aborted) return undefined
  const rolledBack = await rollBack(api, snapshot)
  onEvent({ type: 'playbook-rolled-back', objects: rolledBack })
  return { rolledBack }
}

/** The reasons of one whose changes could not be taken back are told, too. */
const explain = (error: unknown): string =>
  `what it had changed could not be taken back: ${error instanceof Error ? error.message : String(error)}`

export const sandboxPlaybooks = (sandbox: Sandbox): Playbooks => ({
  async run(request) {
    const { text, kubeconfig, api, namespace, rollback, signal, onEvent } = request
    const runner = createPlaybookRunner({ sandbox, kubeconfig, namespace })
    const tell = (event: SolverEvent): void => onEvent(event)
    const snapshot = rollback === 'on-failure' ? await snapshotObjects(api, namespace) : undefined
    const report = await runner.run(text, {
      signal,
      onVetted: ({ findings, isRefused }) => tell({ type: 'playbook-vetted', findings, isRefused }),
      onTask: (result) => tell({ type: 'task-ended', ...result }),
    })
    if (report.ok || report.isRefused || snapshot === undefined) return report
    try {
      return { ...report, ...(await takeBack(request, snapshot)) }
    } catch (error) {
      return { ...report, findings: [...report.findings, explain(error)] }
    }
  },
})
