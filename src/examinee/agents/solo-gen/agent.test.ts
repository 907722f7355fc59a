/** Tests of the agent solo-gen. */
import { expect, test } from 'vitest'
import { play } from '#examinee/agent-parts/testing'
import { scriptedModel } from '#examinee/models/testing'
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
  const { messages, tools } = model.requests[0]!
  expect(tools?.map(({ name }) => name)).toEqual(['run_playbook', 'submit'])
  const prompt = messages.map(({ content }) => content).join('\n')
  for (const phrase of ['cpu-stress', 'namespace "simple-micro"', 'The cause is removed', 'ansible-playbook'])
    expect(prompt).toContain(phrase)
  // In some problems the repair is to replace the pod, so the prompt must not advise against it.
  expect(prompt).not.toMatch(/do not (?:restart|delete|replace)/i)
})

test('takes a playbook from a fenced block', async () => {
  const model = scriptedModel([
    `Not this:\n\`\`\`yaml\nkind: Pod\n\`\`\`\nbut\n\`\`\`yaml\n---\n${PLAYBOOK}\n\`\`\``,
  ])
  const { calls } = await play(agent, { model })
  expect(calls[0]).toEqual({ name: 'run_playbook', input: { playbook: `---\n${PLAYBOOK}` } })
})

test.each([
  ['a text without a playbook', 'I would restart it.'],
  [
    'truncated arguments',
    { calls: [{ name: 'run_playbook', input: '{"playbook": "- hos' }], finish: 'length' },
  ],
  ['an empty playbook', { calls: [{ name: 'run_playbook', input: { playbook: ' ' } }] }],
] as const)('runs nothing and does not ask again after %s', async (_, answer) => {
  const model = scriptedModel([answer])
  const { calls, thoughts } = await play(agent, { model })
  expect(calls).toEqual([{ name: 'submit', input: {} }])
  expect(thoughts.at(-1)?.thought).toContain('no playbook')
  expect(model.requests).toHaveLength(1)
})

test('does not retry a failed playbook', async () => {
  const model = scriptedModel([{ calls: [{ name: 'run_playbook', input: { playbook: PLAYBOOK } }] }])
  const actions = { run_playbook: () => ({ ok: false, text: 'no such module' }) }
  const { calls, thoughts } = await play(agent, { model, actions })
  expect(calls.map(({ name }) => name)).toEqual(['run_playbook', 'submit'])
  expect(thoughts.at(-1)?.thought).toBe('The playbook failed.')
})

test('only submits answers in read-only tasks, and also runs a playbook in end-to-end', async () => {
  const answers = { detected: true, services: ['hello-service'] }
  const readOnlyModel = scriptedModel([{ calls: [{ name: 'submit', input: answers }] }])
  const readOnly = await play(agent, { model: readOnlyModel, briefing: { task: 'localisation' } })
  expect(readOnly.calls).toEqual([{ name: 'submit', input: answers }])
  expect(readOnlyModel.requests[0]!.tools?.map(({ name }) => name)).toEqual(['submit'])

  const endToEndModel = scriptedModel([
    {
      calls: [
        { name: 'submit', input: answers },
        { name: 'run_playbook', input: { playbook: PLAYBOOK } },
      ],
    },
  ])
  const endToEnd = await play(agent, { model: endToEndModel, briefing: { task: 'end-to-end' } })
  expect(endToEnd.calls.map(({ name }) => name)).toEqual(['run_playbook', 'submit'])
  expect(endToEnd.calls[1]!.input).toEqual(answers)
})

test('submits without answers if they are refused', async () => {
  const model = scriptedModel([{ calls: [{ name: 'submit', input: { services: 'all' } }] }])
  const actions = { submit: (input: object) => ({ ok: Object.keys(input).length === 0, text: '' }) }
  const { calls } = await play(agent, { model, actions, briefing: { task: 'localisation' } })
  expect(calls.map(({ input }) => input)).toEqual([{ services: 'all' }, {}])
})

test('rethrows the errors of a failed model call and of a spent budget', async () => {
  expect((await play(agent, { model: scriptedModel([new Error('provider down')]) })).error?.message).toBe(
    'provider down',
  )
  const model = scriptedModel([{ calls: [{ name: 'run_playbook', input: { playbook: PLAYBOOK } }] }])
  expect((await play(agent, { model, steps: 0 })).error?.message).toBe('budget spent')
})

test('accepts known options, and rejects others', async () => {
  const model = scriptedModel(['no'])
  await play(createAgent({ outputTokens: '512' }), { model })
  expect(model.requests[0]!.maxOutputTokens).toBe(512)
  expect(() => createAgent({ trial: 1 })).toThrow(
    /agent solo-gen is invalid: "trial" does not exist; existing options: contextCharacters/,
  )
  expect(() => createAgent({ outputTokens: 'many' })).toThrow(/outputTokens/)
})
