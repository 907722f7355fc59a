/** Runs the playbooks of agents in a sandbox, and takes back what a failed one has done where that is wanted. */
import type { Playbooks } from '../../aci/index.ts'
import { createPlaybookRunner, rollBack, snapshotObjects } from '../../playbook/index.ts'
import type { Sandbox } from '../../sandbox/index.ts'
import type { KubeApi } from '../../spec/index.ts'

/** `administrator`: an agent may not see all that has to be put back. */
export const sandboxedPlaybooks = (sandbox: () => Promise<Sandbox>, administrator: KubeApi): Playbooks => ({
  async run({ text, kubeconfig, namespace, rollback, signal, onEvent }) {
    const runner = createPlaybookRunner({ sandbox: await sandbox(), kubeconfig, namespace })
    const mayTakeBack = rollback === 'on-failure' && !runner.vet(text).isRefused
    const before = mayTakeBack ? await snapshotObjects(administrator, namespace) : undefined
    const report = await runner.run(text, {
      signal,
      onVetted: ({ findings, isRefused }) => onEvent({ type: 'playbook-vetted', findings, isRefused }),
      onTask: (task) => onEvent({ type: 'task-ended', ...task }),
    })
    if (report.ok || before === undefined) return report
    const rolledBack = await rollBack(administrator, before)
    onEvent({ type: 'playbook-rolled-back', objects: rolledBack })
    return { ...report, rolledBack }
  },
})
