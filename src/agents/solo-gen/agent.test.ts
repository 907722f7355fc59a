import { expect, test } from 'vitest'
import { play } from '../../agent-parts/testing/index.ts'
import { scriptedModel } from '../../models/testing/index.ts'
import { agent, createAgent } from './agent.ts'

const PLAYBOOK = '- hosts: localhost\n  tasks: []'

test('asks once, runs the playbook and submits', async () => {
  const model = scriptedModel([
    { text: 'Cap it.', calls: [{ name: 'run_playbook', input: { playbook: PLAYBOOK } }] },
  ])
  const { calls, thoughts } = await play(agent, { model })
  expect(calls).toEqual([
    { name: 'run_playbook', input: { playbook: PLAYBOOK } },
    { name: 'submit', input: {} },
  ])
  expect(thoughts[0]).toEqual({ role: 'solver', thought: 'Cap it.' })
  const { messages, tools } = model.asked[0]!
  expect(tools?.map(({ name }) => name)).toEqual(['run_playbook', 'submit'])
  const prompt = messages.map(({ content }) => content).join('\n')
  for (const needed of [
    'cpu-stress',
    'namespace "simple-micro"',
    'Restart, delete or replace nothing',
    'ansible-playbook',
  ])
    expect(prompt).toContain(needed)
})

test('takes a playbook from a fenced block', async () => {
  const model = scriptedModel([
    `Not this:\n\`\`\`yaml\nkind: Pod\n\`\`\`\nbut\n\`\`\`yaml\n---\n${PLAYBOOK}\n\`\`\``,
  ])
  const { calls } = await play(agent, { model })
  expect(calls[0]).toEqual({ name: 'run_playbook', input: { playbook: `---\n${PLAYBOOK}` } })
})

test.each([
  ['words', 'I would restart it.'],
  [
    'arguments that were cut off',
    { calls: [{ name: 'run_playbook', input: '{"playbook": "- hos' }], finish: 'length' },
  ],
  ['an empty playbook', { calls: [{ name: 'run_playbook', input: { playbook: ' ' } }] }],
] as const)('%s are no playbook: nothing is run, nobody is asked again', async (_, answer) => {
  const model = scriptedModel([answer])
  const { calls, thoughts } = await play(agent, { model })
  expect(calls).toEqual([{ name: 'submit', input: {} }])
  expect(thoughts.at(-1)?.thought).toContain('no playbook')
  expect(model.asked).toHaveLength(1)
})

test('a playbook that fails is not tried again', async () => {
  const model = scriptedModel([{ calls: [{ name: 'run_playbook', input: { playbook: PLAYBOOK } }] }])
  const actions = { run_playbook: () => ({ ok: false, text: 'no such module' }) }
  const { calls, thoughts } = await play(agent, { model, actions })
  expect(calls.map(({ name }) => name)).toEqual(['run_playbook', 'submit'])
  expect(thoughts.at(-1)?.thought).toBe('The playbook failed.')
})

test('tasks that only ask get an answer, and end-to-end gets both', async () => {
  const answers = { detected: true, services: ['hello-service'] }
  const asking = scriptedModel([{ calls: [{ name: 'submit', input: answers }] }])
  const asked = await play(agent, { model: asking, briefing: { task: 'localisation' } })
  expect(asked.calls).toEqual([{ name: 'submit', input: answers }])
  expect(asking.asked[0]!.tools?.map(({ name }) => name)).toEqual(['submit'])

  const both = scriptedModel([
    {
      calls: [
        { name: 'submit', input: answers },
        { name: 'run_playbook', input: { playbook: PLAYBOOK } },
      ],
    },
  ])
  const done = await play(agent, { model: both, briefing: { task: 'end-to-end' } })
  expect(done.calls.map(({ name }) => name)).toEqual(['run_playbook', 'submit'])
  expect(done.calls[1]!.input).toEqual(answers)
})

test('answers that are refused are submitted without', async () => {
  const model = scriptedModel([{ calls: [{ name: 'submit', input: { services: 'all' } }] }])
  const actions = { submit: (input: object) => ({ ok: Object.keys(input).length === 0, text: '' }) }
  const { calls } = await play(agent, { model, actions, briefing: { task: 'localisation' } })
  expect(calls.map(({ input }) => input)).toEqual([{ services: 'all' }, {}])
})

test('a model that cannot be had and a spent budget go through', async () => {
  expect((await play(agent, { model: scriptedModel([new Error('provider down')]) })).error?.message).toBe(
    'provider down',
  )
  const model = scriptedModel([{ calls: [{ name: 'run_playbook', input: { playbook: PLAYBOOK } }] }])
  expect((await play(agent, { model, steps: 0 })).error?.message).toBe('budget spent')
})

test('options: known ones count, others are named', async () => {
  const model = scriptedModel(['no'])
  await play(createAgent({ outputTokens: '512' }), { model })
  expect(model.asked[0]!.mostOutputTokens).toBe(512)
  expect(() => createAgent({ trial: 1 })).toThrow(
    /agent solo-gen is wrong: there is no "trial"; there are contextLetters/,
  )
  expect(() => createAgent({ outputTokens: 'many' })).toThrow(/outputTokens/)
})
