/** Tests that failed and harmful playbooks are rolled back according to the policy. */
import { expect, it } from 'vitest'
import type { Sandbox } from '#machine/sandbox'
import type { KubeApi, SolverEvent } from '#spec'
import { sandboxPlaybooks } from './sandbox-playbooks.ts'

const PLAYBOOK = '- hosts: localhost\n  tasks:\n    - ansible.builtin.debug: { msg: hello }\n'

const runPlaybook = async (
  exitCode: number,
  rollback: 'never' | 'on-failure' | 'on-harm',
  harmed: readonly string[] = [],
) => {
  const events: SolverEvent[] = []
  let releaseCount = 0
  const sandbox = {
    run: async () => ({ exitCode, stdout: '', stderr: '', milliseconds: 1 }),
  } as Partial<Sandbox> as Sandbox
  const report = await sandboxPlaybooks(sandbox).run({
    text: PLAYBOOK,
    api: {} as KubeApi,
    kubeconfig: '',
    namespace: 'shop',
    rollback,
    signal: new AbortController().signal,
    takeSnapshot: async () => ({
      revert: async () => ['Deployment/cart reverted'],
      findHarm: async () => harmed,
      release() {
        releaseCount += 1
      },
    }),
    onEvent: (event) => void events.push(event),
  })
  // The laboratory changes no fault until the snapshot is released.
  expect(releaseCount).toBe(rollback === 'never' ? 0 : 1)
  return { ...report, isRecorded: events.some(({ type }) => type === 'playbook-rolled-back') }
}

it.each([
  ['failed', 1, 'on-failure', [], true],
  ['failed', 1, 'on-harm', [], true],
  ['failed', 1, 'never', [], false],
  ['harmful', 0, 'on-harm', ['Deployment/cart'], true],
  ['harmful', 0, 'on-failure', ['Deployment/cart'], false],
  ['good', 0, 'on-harm', [], false],
] as const)(
  'rolls back or keeps a %s playbook (exit code %i) according to the policy %s',
  async (_, exitCode, rollback, harmed, isRolledBack) => {
    const { ok, rolledBack, isRecorded, findings } = await runPlaybook(exitCode, rollback, harmed)
    expect({ ok, rolledBack, isRecorded }).toEqual({
      ok: exitCode === 0 && !isRolledBack,
      isRecorded: isRolledBack,
      rolledBack: isRolledBack ? ['Deployment/cart reverted'] : undefined,
    })
    if (exitCode === 0 && isRolledBack)
      expect(findings?.join()).toContain('so the playbook counts as failed: Deployment/cart')
  },
)
