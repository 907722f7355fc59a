/** Playbooks that fail or do harm are taken back, by the laboratory and not by the agent's rights. */
import { expect, it } from 'vitest'
import type { Sandbox } from '../sandbox/index.ts'
import type { SolverEvent } from '../spec/index.ts'
import { sandboxPlaybooks } from './sandbox-playbooks.ts'

const GOOD = '- hosts: localhost\n  tasks:\n    - ansible.builtin.debug: { msg: hello }\n'

const run = async (
  exitCode: number,
  rollback: 'never' | 'on-failure' | 'on-harm',
  harmed: readonly string[] = [],
) => {
  const events: SolverEvent[] = []
  let forgotten = 0
  const sandbox = {
    run: async () => ({ exitCode, stdout: '', stderr: '', milliseconds: 1 }),
  } as Partial<Sandbox> as Sandbox
  const report = await sandboxPlaybooks(sandbox).run({
    text: GOOD,
    kubeconfig: '',
    namespace: 'shop',
    rollback,
    signal: new AbortController().signal,
    remember: async () => ({
      takeBack: async () => ['Deployment/cart put back'],
      findHarm: async () => harmed,
      forget() {
        forgotten += 1
      },
    }),
    onEvent: (event) => void events.push(event),
  })
  // Faults wait for it, whatever came of the playbook.
  expect(forgotten).toBe(rollback === 'never' ? 0 : 1)
  return { ...report, isTold: events.some(({ type }) => type === 'playbook-rolled-back') }
}

it.each([
  ['failed', 1, 'on-failure', [], true],
  ['failed', 1, 'on-harm', [], true],
  ['failed', 1, 'never', [], false],
  ['harmful', 0, 'on-harm', ['Deployment/cart'], true],
  ['harmful', 0, 'on-failure', ['Deployment/cart'], false],
  ['good', 0, 'on-harm', [], false],
] as const)('a %s one that exits with %i, %s', async (_, exitCode, rollback, harmed, isBack) => {
  const { ok, rolledBack, isTold, findings } = await run(exitCode, rollback, harmed)
  expect({ ok, rolledBack, isTold }).toEqual({
    ok: exitCode === 0 && !isBack,
    isTold: isBack,
    rolledBack: isBack ? ['Deployment/cart put back'] : undefined,
  })
  if (exitCode === 0 && isBack)
    expect(findings?.join()).toContain('did not become ready again: Deployment/cart')
})
