/** Tests that prompts recommend no tactics, and mention repairs only in tasks that ask for a repair. */
import { describe, expect, test } from 'vitest'
import { describeRules } from '#examinee/agent-parts'
import { play } from '#examinee/agent-parts/testing'
import { type Script, type ScriptedModel, scriptedModel } from '#examinee/models/testing'
import { TASKS, type Task, taskOf } from '#spec'
import { loadAgent } from './index.ts'

const TACTICS = /restart|smallest|common approach|prefer/i
const call = (name: string, input: unknown = {}) => ({ calls: [{ name, input }] })
const SUBMIT = call('submit', { detected: true })
const PLAYBOOK = call('run_playbook', { playbook: '- hosts: localhost' })

type Scripts = Readonly<Record<string, Script>>

/** By agent: scripts by role, in which every role that the task uses is asked at least once. */
const SCRIPTS: Readonly<Record<string, (repairs: boolean) => Scripts>> = {
  'solo-gen': () => ({ solver: [SUBMIT] }),
  react: () => ({ solver: ['Hm.', SUBMIT] }),
  'think-remed': (repairs) => ({
    coordinator: [
      'Hm.',
      call('probe', { question: 'What fails?' }),
      ...(repairs ? [PLAYBOOK, PLAYBOOK] : []),
      SUBMIT,
    ],
    probe: [call('get_alerts'), call('report', { summary: 'Nothing.' })],
    execution: ['It failed.'],
    verification: [call('give_verdict', { healthy: false, evidence: 'errors' })],
  }),
}

/** Everything that the models of an agent read in an episode, by role. */
const readPrompts = async (agent: string, task: Task): Promise<ReadonlyMap<string, string>> => {
  const scripts = SCRIPTS[agent]!(taskOf(task).repairs)
  const models: Record<string, ScriptedModel> = {}
  for (const [role, script] of Object.entries(scripts)) models[role] = scriptedModel(script, `x:${role}`)
  let runs = 0
  const report = { kind: 'none', text: '' } as const
  await play(await loadAgent(agent), {
    model: models,
    briefing: { task, report },
    actions: { run_playbook: () => ({ ok: ++runs > 1, text: 'changed=1' }) },
  })
  return new Map(
    Object.entries(models).map(([role, { requests }]) => {
      const messages = requests
        .flatMap((request) => request.messages)
        .filter((message) => message.role !== 'assistant')
      const tools = requests
        .flatMap((request) => request.tools ?? [])
        .filter(({ name }) => name !== 'run_playbook')
      return [role, JSON.stringify([messages.map(({ content }) => content), tools])]
    }),
  )
}

describe.each(Object.keys(SCRIPTS))('the prompts of %s', (agent) => {
  test.each(TASKS)('fit the task %s', async (task) => {
    const { repairs, goal } = taskOf(task)
    const prompts = await readPrompts(agent, task)
    const main = prompts.get('solver') ?? prompts.get('coordinator')!
    expect(main).toContain(JSON.stringify(describeRules(task)).slice(1, -1))
    expect(main).toContain(goal)
    expect(/repair/i.test(main)).toBe(repairs)
    for (const [role, text] of prompts) {
      if (repairs || !['execution', 'verification'].includes(role)) expect(text, role).not.toBe('[[],[]]')
      expect(text, role).not.toMatch(TACTICS)
      if (!repairs) expect(text, role).not.toMatch(/repair/i)
    }
  })
})
