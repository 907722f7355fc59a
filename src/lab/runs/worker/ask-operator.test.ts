/** Tests the questions to the operator, and actions that are refused without asking. */
import { expect, it } from 'vitest'
import { askOperator } from './ask-operator.ts'

const askFor = async (action: string, input: unknown, answer = true) => {
  const asked: string[] = []
  const approval = await askOperator({ action, input }, async (text) => {
    asked.push(text)
    return answer
  })
  return { asked, approval }
}

it('shows a long text in full, and the other fields', async () => {
  const command = `${'echo a\n'.repeat(2000)}rm -rf /`
  const { asked, approval } = await askFor('exec_shell', { command, timeout_seconds: 5 })
  expect(asked).toEqual([`exec_shell {"timeout_seconds":5}:\n${command}`])
  expect(approval).toEqual({ isApproved: true })
})

it('refuses an action that is too long to review, without asking', async () => {
  const { asked, approval } = await askFor('run_playbook', {
    playbook: `- hosts: all\n${'#'.repeat(50_000)}`,
  })
  expect(asked).toEqual([])
  expect(approval).toMatchObject({
    isApproved: false,
    reason: expect.stringContaining('characters (at most 40,000)'),
  })
})

it('refuses if the operator does not approve', async () => {
  expect((await askFor('run_playbook', { playbook: 'x' }, false)).approval).toEqual({
    isApproved: false,
    reason: 'the operator refused',
  })
})
