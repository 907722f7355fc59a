/** Runs the hostile playbooks through the interpreter alone: real ones run in the sandbox, in `npm run proof hostile`. */
import { interpretPlaybook } from '#platform/interpret'
import { createCommands } from '#platform/kubectl'
import { loadPlaybooks } from '../../testing/hostile-corpus.ts'
import { createVirtualCluster } from './proof-cluster.ts'
import { proofTemplates } from './proof-templates.ts'

/** Values that lead nowhere. */
const PLACEHOLDERS = { SYSTEM: 'default', NODE: 'nowhere', HOST_FILE: '/nowhere', OTHER_PORT: 1 }
const TIMEOUT_MS = 120_000

export interface HostileResult {
  /** How many playbooks had each outcome. */
  readonly counts: Readonly<Record<string, number>>
  /** Playbooks that must fail, but completed. */
  readonly completed: readonly string[]
}

/** Rejects if a playbook breaks the interpreter. */
export const runHostilePlaybooks = async (): Promise<HostileResult> => {
  const counts: Record<string, number> = {}
  const completed: string[] = []
  for (const [group, playbooks] of Object.entries(loadPlaybooks(PLACEHOLDERS)))
    for (const { tries, text } of playbooks) {
      const { cluster, clock, api, run } = createVirtualCluster()
      const { discovery } = cluster
      const commands = createCommands({ api, discovery, clock, namespace: 'default' })
      const options = { api, discovery, clock, templates: proofTemplates, commands, timeoutMs: TIMEOUT_MS }
      const { outcome } = await run(() => interpretPlaybook(text, options))
      cluster.stop()
      counts[outcome] = (counts[outcome] ?? 0) + 1
      // The playbooks of other groups are refused before they run, or fail for want of permissions, which are not modelled here.
      if (outcome === 'ok' && ['broken', 'endless', 'flood'].includes(group)) completed.push(tries)
    }
  return { counts, completed }
}
