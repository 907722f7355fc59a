/** Tests that no hostile or broken playbook breaks the interpreter, or runs in it endlessly. */
import { describe, expect, it } from 'vitest'
import { interpretPlaybook } from '#platform/interpret'
import { createCommands } from '#platform/kubectl'
import { createVirtualCluster } from './proofs/playbooks/proof-cluster.ts'
import { proofTemplates } from './proofs/playbooks/proof-templates.ts'
import { loadPlaybooks } from './testing/hostile-corpus.ts'

/** Names and paths that do not exist. */
const PLACEHOLDERS = { SYSTEM: 'default', NODE: 'nowhere', HOST_FILE: '/nowhere', OTHER_PORT: 1 }
const TIMEOUT_MS = 120_000

const playbooks = Object.entries(loadPlaybooks(PLACEHOLDERS)).flatMap(([group, entries]) =>
  entries.map(({ tries, text }) => ({ group, tries, text })),
)

describe('the interpreter', () => {
  it.each(playbooks)('ends a playbook that tries: $tries', async ({ group, text }) => {
    const { cluster, clock, api, run } = createVirtualCluster()
    const { discovery } = cluster
    const commands = createCommands({ api, discovery, clock, namespace: 'default' })
    const options = { api, discovery, clock, templates: proofTemplates, commands, timeoutMs: TIMEOUT_MS }
    const { outcome, milliseconds } = await run(() => interpretPlaybook(text, options))
    cluster.stop()
    expect(['ok', 'failed', 'unsupported']).toContain(outcome)
    expect(milliseconds).toBeLessThanOrEqual(TIMEOUT_MS)
    // Playbooks of other groups are refused before they run, or fail for lack of permissions, which are not modelled here.
    if (group === 'endless' || group === 'flood') expect(outcome).not.toBe('ok')
  })
})
