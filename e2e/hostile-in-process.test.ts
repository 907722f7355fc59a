/** Tests that no hostile or broken playbook breaks the interpreter, or runs in it endlessly. */
import { describe, expect, it } from 'vitest'
import { loadPlaybooks } from './hostile/hostile-corpus.ts'
import { createInterpreter } from './proofs/playbooks/create-interpreter.ts'
import { createVirtualCluster } from './proofs/playbooks/proof-cluster.ts'

/** Names and paths that do not exist. */
const PLACEHOLDERS = { SYSTEM: 'default', NODE: 'nowhere', HOST_FILE: '/nowhere', OTHER_PORT: 1 }
const TIMEOUT_MS = 120_000

const playbooks = Object.entries(loadPlaybooks(PLACEHOLDERS)).flatMap(([group, entries]) =>
  entries.map(({ tries, text }) => ({ group, tries, text })),
)

describe('the interpreter', () => {
  it.each(playbooks)('ends a playbook that tries: $tries', async ({ group, text }) => {
    const virtual = createVirtualCluster()
    const interpret = createInterpreter(virtual)
    const { outcome, milliseconds } = await interpret(text, { timeoutMs: TIMEOUT_MS })
    virtual.cluster.stop()
    expect(['ok', 'failed', 'unsupported']).toContain(outcome)
    expect(milliseconds).toBeLessThanOrEqual(TIMEOUT_MS)
    // Playbooks of other groups are refused before they run, or fail for lack of permissions, which are not modelled here.
    if (group === 'endless' || group === 'flood') expect(outcome).not.toBe('ok')
  })
})
