import { expect, it } from 'vitest'
import { askPerson } from './ask-person.ts'

const askFor = async (action: string, input: unknown, answer = true) => {
  const asked: string[] = []
  const approval = await askPerson({ action, input }, async (text) => {
    asked.push(text)
    return answer
  })
  return { asked, approval }
}

it('shows the whole of a long text, as it is, and what is said besides', async () => {
  const command = `${'echo a\n'.repeat(2000)}rm -rf /`
  const { asked, approval } = await askFor('exec_shell', { command, timeout_seconds: 5 })
  expect(asked).toEqual([`exec_shell {"timeout_seconds":5}:\n${command}`])
  expect(approval).toEqual({ isApproved: true })
})

it('lets nothing be done that nobody would read, without asking', async () => {
  const { asked, approval } = await askFor('run_playbook', {
    playbook: `- hosts: all\n${'#'.repeat(50_000)}`,
  })
  expect(asked).toEqual([])
  expect(approval).toMatchObject({ isApproved: false, reason: expect.stringContaining('40000 are the most') })
})

it('takes a no for one', async () => {
  expect((await askFor('run_playbook', { playbook: 'x' }, false)).approval).toEqual({
    isApproved: false,
    reason: 'the operator said no',
  })
})
