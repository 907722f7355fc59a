/** Tests that prompts recommend no tactics, and mention repairs only in tasks that ask for a repair. */
import { describe, expect, test } from 'vitest'
import { describeRules } from '#examinee/agent-parts'
import { play } from '#examinee/agent-parts/testing'
import { type Script, type ScriptedModel, scriptedModel } from '#examinee/models/testing'
import { TASKS, type Task, taskOf } from '#spec'
import { loadAgent } from './index.ts'

const TACTICS = /restart|smallest|common approach|prefer/i
const answerWithCall = (name: string, input: unknown = {}) => ({ calls: [{ name, input }] })
const SUBMIT = answerWithCall('submit', { detected: true })
const PLAYBOOK = answerWithCall('run_playbook', { playbook: '- hosts: localhost' })

type Scripts = Readonly<Record<string, Script>>

/** For each agent: scripts by role, in which the agent asks every role that the task needs at least once. */
const SCRIPTS: Readonly<Record<string, (repairs: boolean) => Scripts>> = {
  'solo-gen': () => ({ solver: [SUBMIT] }),
  react: () => ({ solver: ['Hm.', SUBMIT] }),
  'think-remed': (repairs) => ({
    coordinator: [
      'Hm.',
      answerWithCall('probe', { question: 'What fails?' }),
      ...(repairs ? [PLAYBOOK, PLAYBOOK] : []),
      SUBMIT,
    ],
    probe: [answerWithCall('get_alerts'), answerWithCall('report', { summary: 'Nothing.' })],
    execution: ['It failed.'],
    verification: [answerWithCall('give_verdict', { healthy: false, evidence: 'errors' })],
  }),
}

/** Returns everything that the models of an agent read in an episode, by role. */
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
    const mainPrompt = prompts.get('solver') ?? prompts.get('coordinator')!
    expect(mainPrompt).toContain(JSON.stringify(describeRules(task)).slice(1, -1))
    expect(mainPrompt).toContain(goal)
    expect(/repair/i.test(mainPrompt)).toBe(repairs)
    for (const [role, text] of prompts) {
      if (repairs || !['execution', 'verification'].includes(role)) expect(text, role).not.toBe('[[],[]]')
      expect(text, role).not.toMatch(TACTICS)
      if (!repairs) expect(text, role).not.toMatch(/repair/i)
    }
  })
})
