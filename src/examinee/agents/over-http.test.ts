/** Tests of the agents with a scripted model server over HTTP: their actions, and their exact token counts. */
import { afterEach, describe, expect, test } from 'vitest'
import { play } from '#examinee/agent-parts/testing'
import { openModel, parsePrice } from '#examinee/models'
import { createScriptedServer, type ServerAnswer, type ServerRequest } from '#examinee/models/testing'
import type { LanguageModel, ModelAnswer, Observation } from '#spec'
import { loadAgent } from './index.ts'

const PLAYBOOK = '- name: "Räise"\n  hosts: localhost\n  tasks:\n    - debug: {msg: "it\'s \\"on\\""}\n'
const RAN: Observation = { ok: true, text: 'changed=1', data: { tasks: [{ outcome: 'changed' }] } }

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

type Answerer = (request: ServerRequest) => ServerAnswer

/** Opens a scripted server and its model, and collects the answers of the model. */
const openScriptedModel = async (script: readonly (ServerAnswer | Answerer)[], options = {}) => {
  const server = await createScriptedServer(script)
  closers.push(() => server.close())
  const opened = openModel('compatible:scripted', {
    env: {},
    baseUrl: server.url,
    backoffMs: 1,
    price: parsePrice('3,15,0.3'),
    ...options,
  })
  const answers: ModelAnswer[] = []
  const model: LanguageModel = {
    name: opened.name,
    async ask(request) {
      const answer = await opened.ask(request)
      answers.push(answer)
      return answer
    },
  }
  return { server, model, answers }
}

/** Checks that the counts of the answers add up to those of the server. */
const checkUsage = ({ server, answers }: Awaited<ReturnType<typeof openScriptedModel>>): void => {
  const sum = (amountOf: (answer: ModelAnswer) => number) =>
    answers.reduce((total, answer) => total + amountOf(answer), 0)
  const { input, output, cachedInput, reasoning } = server.reported
  expect(input).toBeGreaterThan(0)
  expect(sum(({ usage }) => usage.input)).toBe(input)
  expect(sum(({ usage }) => usage.output)).toBe(output)
  expect(sum(({ usage }) => usage.cachedInput ?? 0)).toBe(cachedInput)
  expect(sum(({ usage }) => usage.reasoning ?? 0)).toBe(reasoning)
  const dollars = ((input - cachedInput) * 3 + cachedInput * 0.3 + output * 15) / 1e6
  expect(sum(({ costUsd }) => costUsd!)).toBeCloseTo(dollars, 12)
}

const toolCall = (name: string, input: unknown = {}) => ({ name, input })
const answerWithPlaybook = (text: string): ServerAnswer => ({
  text,
  calls: [toolCall('run_playbook', { playbook: PLAYBOOK })],
})
const offersTool = (request: ServerRequest, tool: string): boolean =>
  request.body.tools?.some((definition) => definition.function.name === tool) ?? false

describe.each([
  ['with streamed answers', { stream: true }],
  ['with complete answers', { stream: false }],
])('%s', (_, options) => {
  test('SoloGen passes its playbook on unchanged, despite a rate limit', async () => {
    const scripted = await openScriptedModel(
      [
        { status: 429, headers: { 'retry-after-ms': '20' } },
        {
          ...answerWithPlaybook('Raise it.'),
          usage: { input: 812, output: 99, cachedInput: 512, reasoning: 30 },
        },
      ],
      options,
    )
    const { calls, error } = await play(await loadAgent('solo-gen'), { model: scripted.model })
    expect(error).toBeUndefined()
    expect(calls).toEqual([
      { name: 'run_playbook', input: { playbook: PLAYBOOK } },
      { name: 'submit', input: {} },
    ])
    expect(scripted.answers[0]!.tries).toBe(2)
    checkUsage(scripted)
  })

  test('SoloGen runs nothing if the arguments were truncated', async () => {
    const scripted = await openScriptedModel(
      [{ calls: [{ name: 'run_playbook', raw: '{"playbook": "- hosts: lo' }], finish: 'length' }],
      options,
    )
    const { calls } = await play(await loadAgent('solo-gen'), { model: scripted.model })
    expect(calls).toEqual([{ name: 'submit', input: {} }])
    expect(scripted.server.requests).toHaveLength(1)
    checkUsage(scripted)
  })

  test('ThinkRemed probes, reflects on a failed trial, and succeeds', async () => {
    const coordinator: ServerAnswer[] = [
      { text: 'Look first.', calls: [toolCall('probe', { question: 'Which limits?' })] },
      answerWithPlaybook('It is the limit.'),
      answerWithPlaybook('It was the quota.'),
    ]
    const verdicts = [false, true]
    const script: Answerer = (request) => {
      if (offersTool(request, 'give_verdict'))
        return { calls: [toolCall('give_verdict', { healthy: verdicts.shift(), evidence: 'errors: 40 %' })] }
      if (offersTool(request, 'report')) return { calls: [toolCall('report', { summary: 'a limit of 2m' })] }
      return coordinator.shift()!
    }
    const scripted = await openScriptedModel(
      Array.from({ length: 6 }, () => script),
      options,
    )
    const { calls, thoughts, error } = await play(await loadAgent('think-remed'), {
      model: scripted.model,
      actions: { run_playbook: () => RAN },
    })
    expect(error).toBeUndefined()
    expect(calls.map(({ name }) => name)).toEqual([
      ...['run_playbook', 'get_alerts', 'get_metrics'],
      ...['run_playbook', 'get_alerts', 'get_metrics'],
      'submit',
    ])
    expect(thoughts.map(({ role }) => role)).toEqual([
      ...['coordinator', 'probe', 'coordinator', 'execution', 'verification'],
      ...['coordinator', 'execution', 'verification'],
    ])
    const reflection = scripted.server.requests[4]!.body.messages.at(-1)!
    expect(reflection.role).toBe('tool')
    expect(reflection.content).toMatch(/not healthy. Evidence: errors: 40 %[\s\S]*reflect/)
    expect(scripted.server.requests).toHaveLength(6)
    checkUsage(scripted)
  })

  test('ThinkRemed submits after its last trial', async () => {
    const script: Answerer = (request) =>
      offersTool(request, 'give_verdict')
        ? { calls: [toolCall('give_verdict', { healthy: false, evidence: 'still slow' })] }
        : answerWithPlaybook('Once more.')
    const scripted = await openScriptedModel(
      Array.from({ length: 4 }, () => script),
      options,
    )
    const { calls } = await play(await loadAgent('think-remed', { trials: 2 }), {
      model: scripted.model,
      actions: { run_playbook: () => RAN },
    })
    expect(calls.filter(({ name }) => name === 'run_playbook')).toHaveLength(2)
    expect(calls.at(-1)).toEqual({ name: 'submit', input: {} })
    checkUsage(scripted)
  })

  test('ReAct makes several calls, despite an invalid one and failures of the server', async () => {
    const scripted = await openScriptedModel(
      [
        {
          text: 'Look around.',
          calls: [toolCall('get_alerts'), toolCall('get_logs', { service: 'hello-service' })],
        },
        { failure: 'cut' },
        { calls: [{ name: 'describe', raw: '{"kind": "Pod", ' }] },
        { status: 503 },
        { text: 'Now I know.' },
        { ...answerWithPlaybook('Repair.'), thinking: 'a quota' },
        { calls: [toolCall('submit', { detected: true })] },
      ],
      options,
    )
    const { calls, error } = await play(await loadAgent('react'), { model: scripted.model })
    expect(error).toBeUndefined()
    expect(calls.map(({ name }) => name)).toEqual(['get_alerts', 'get_logs', 'run_playbook', 'submit'])
    expect(scripted.answers.map(({ tries }) => tries)).toEqual([1, 2, 2, 1, 1])
    const lastMessage = scripted.server.requests[3]!.body.messages.at(-1)!
    expect(lastMessage).toMatchObject({
      role: 'tool',
      content: expect.stringContaining('must be a JSON object'),
    })
    checkUsage(scripted)
  })
})

test('ReAct rejects and blames the provider if the provider fails', async () => {
  const scripted = await openScriptedModel(
    [{ calls: [toolCall('get_alerts')] }, ...Array.from({ length: 3 }, () => ({ status: 500 }))],
    { tries: 3 },
  )
  const { calls, error } = await play(await loadAgent('react'), { model: scripted.model })
  expect(calls).toHaveLength(1)
  expect(error).toMatchObject({ code: 'model-failed', blame: 'provider' })
  checkUsage(scripted)
})

test('ReAct works with a model without a tool interface', async () => {
  const texts = [
    'I look.\n```json\n{"tool": "get_alerts", "input": {}}\n```',
    `Thought: repair it\nAction: run_playbook\nAction Input:\n\`\`\`yaml\n${PLAYBOOK}\`\`\``,
    '<tool_call>{"name": "submit", "arguments": {}}</tool_call>',
  ]
  const script: Answerer = (request) =>
    request.body.tools === undefined
      ? { text: texts.shift()! }
      : { status: 400, message: 'tools are not supported' }
  const scripted = await openScriptedModel(Array.from({ length: 4 }, () => script))
  const { calls } = await play(await loadAgent('react'), { model: scripted.model })
  expect(calls).toEqual([
    { name: 'get_alerts', input: {} },
    { name: 'run_playbook', input: { playbook: PLAYBOOK.trim() } },
    { name: 'submit', input: {} },
  ])
  checkUsage(scripted)
})
