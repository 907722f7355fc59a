/** Tests of models over HTTP: answers, retries, usage, cost, text calls, recording and replay. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { openScripted, QUESTION, type ServerScript } from '#examinee/models/testing'
import type { ModelRequest } from '#spec'
import {
  findAddresses,
  isPriced,
  listProviders,
  openModel,
  parsePrice,
  recordCalls,
  replayCalls,
} from './index.ts'
import { findPrice } from './prices.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const createRecordPath = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'remedium-models-'))
  closers.push(() => rmSync(folder, { recursive: true }))
  return join(folder, 'conversation.jsonl')
}

describe.each([true, false])('over HTTP, streaming: %s', (stream) => {
  test('returns text, several calls and all token counts', async () => {
    const usage = { input: 1234, output: 77, cachedInput: 1000, reasoning: 40 }
    const { server, model } = await openScripted(
      [
        {
          text: 'Let me look.',
          thinking: 'hm',
          calls: [
            { name: 'look', input: { what: 'pods' } },
            { name: 'look', input: { what: 'nodes\n"now"' } },
          ],
          usage,
        },
      ],
      { stream, price: { input: 2, output: 10, cachedInput: 0.5 } },
    )
    const answer = await model.ask(QUESTION)
    expect(answer).toMatchObject({ text: 'Let me look.', usage, finish: 'tool-calls', tries: 1 })
    expect(answer.toolCalls.map(({ name, input }) => ({ name, input }))).toEqual([
      { name: 'look', input: { what: 'pods' } },
      { name: 'look', input: { what: 'nodes\n"now"' } },
    ])
    expect(answer.costUsd).toBeCloseTo((234 * 2 + 1000 * 0.5 + 77 * 10) / 1e6, 12)
    const { body, headers } = server.requests[0]!
    expect(headers.authorization).toBe('Bearer secret')
    expect(body.messages.map(({ role }) => role)).toEqual(['system', 'user'])
    expect(body.tools?.map((tool) => tool.function.name)).toEqual(['look'])
    expect(body.stream ?? false).toBe(stream)
  })

  test('sends the conversation back, with invalid arguments wrapped', async () => {
    const { server, model } = await openScripted(
      [{ calls: [{ name: 'look', raw: '{"what": ' }], finish: 'length' }, { text: 'done' }],
      { stream },
    )
    const first = await model.ask(QUESTION)
    expect(first).toMatchObject({ finish: 'length', toolCalls: [{ name: 'look', input: '{"what": ' }] })
    const [call] = first.toolCalls
    await model.ask({
      ...QUESTION,
      messages: [
        ...QUESTION.messages,
        { role: 'assistant', content: first.text, toolCalls: first.toolCalls },
        { role: 'tool', content: 'that was no JSON', toolCallId: call!.id, toolName: 'look' },
      ],
    })
    const sentMessages = server.requests[1]!.body.messages
    expect(sentMessages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool'])
    expect(JSON.parse(sentMessages[2]!.tool_calls![0]!.function.arguments)).toEqual({
      malformed: '{"what": ',
    })
    expect(sentMessages[3]!.content).toBe('that was no JSON')
  })

  test.each([
    ['a rate limit', { status: 429, headers: { 'retry-after-ms': '3' } }],
    ['a failing server', { status: 503 }],
    ['a cut connection', { failure: 'cut' }],
    ['broken JSON', { failure: 'broken-json' }],
  ] as const)('retries after %s', async (_, failure) => {
    const { server, model } = await openScripted([failure, failure, { text: 'here' }], { stream })
    const answer = await model.ask(QUESTION)
    expect(answer).toMatchObject({ text: 'here', tries: 3 })
    expect(answer.usage).toEqual({
      input: server.reported.input,
      output: server.reported.output,
      cachedInput: 0,
      reasoning: 0,
    })
  })

  test('retries after the time limit if the server hangs', async () => {
    const { server, model } = await openScripted(
      (_, index) => (index === 0 ? { failure: 'hang' } : { text: 'awake' }),
      {
        stream,
        timeoutMs: 400,
      },
    )
    const { text, tries } = await model.ask(QUESTION)
    expect([text, tries]).toEqual(['awake', server.requests.length])
    expect(tries).toBeGreaterThan(1)
  })

  test('blames the provider after the last attempt', async () => {
    const { server, model } = await openScripted(() => ({ status: 500, message: 'on fire' }), {
      stream,
      tries: 3,
    })
    await expect(model.ask(QUESTION)).rejects.toMatchObject({
      code: 'model-failed',
      blame: 'provider',
      message: expect.stringMatching(/compatible:tester failed \(500\): on fire.*after 3 attempts/),
    })
    expect(server.requests).toHaveLength(3)
  })

  test('rejects with the reason of an abort', async () => {
    const { model } = await openScripted([{ failure: 'hang' }], { stream })
    const controller = new AbortController()
    const answer = model.ask({ ...QUESTION, signal: controller.signal })
    setTimeout(() => controller.abort(new Error('budget spent')), 100)
    await expect(answer).rejects.toThrow('budget spent')
  })
})

test('counts the tokens of unusable answers', async () => {
  const { server, model } = await openScripted([{ failure: 'no-choices' }, { text: 'here' }], {
    stream: false,
  })
  const { usage, tries } = await model.ask(QUESTION)
  expect(tries).toBe(2)
  expect([usage.input, usage.output]).toEqual([server.reported.input, server.reported.output])
})

test('adds the reported cost of unusable answers', async () => {
  const usage = { input: 10, output: 10, costUsd: 0.5 }
  const script: ServerScript = [{ failure: 'no-choices' }, { text: 'here', usage }]
  const reporting = await openScripted(script, { stream: false })
  expect((await reporting.model.ask(QUESTION)).costUsd).toBe(0.75)
  const priced = await openScripted(script, { stream: false, price: { input: 1e6, output: 0 } })
  expect((await priced.model.ask(QUESTION)).costUsd).toBe(15)
})

test.each([
  ['openai:gpt-4o', {}, true],
  ['openrouter:any/thing', {}, true],
  ['replay:x', {}, true],
  ['vllm:any', {}, false],
  ['vllm:any', { price: { input: 0, output: 0 } }, true],
  ['vllm:any', { env: { REMEDIUM_PRICE: '1,2' } }, true],
])('reports whether %s with %j has a price: %s', (name, options, hasKnownPrice) => {
  expect(isPriced(name, { env: {}, ...options })).toBe(hasKnownPrice)
})

test.each(['half', 'error-in-stream'] as const)('retries after a broken stream (%s)', async (failure) => {
  const { model } = await openScripted([{ failure }, { text: 'whole' }])
  expect(await model.ask(QUESTION)).toMatchObject({ text: 'whole', tries: 2 })
})

test('offers tools in text once the endpoint has refused them', async () => {
  const { server, model } = await openScripted((request) =>
    request.body.tools === undefined
      ? { text: 'I look at the pods.\n```json\n{"tool": "look", "input": {"what": "pods"}}\n```' }
      : { status: 400, message: 'this model does not support tools' },
  )
  const answer = await model.ask(QUESTION)
  expect(answer).toMatchObject({ text: 'I look at the pods.', tries: 2, finish: 'tool-calls' })
  expect(answer.toolCalls).toMatchObject([{ name: 'look', input: { what: 'pods' } }])
  const { id } = answer.toolCalls[0]!
  const again = await model.ask({
    ...QUESTION,
    messages: [
      ...QUESTION.messages,
      { role: 'assistant', content: answer.text, toolCalls: answer.toolCalls },
      { role: 'tool', content: 'all run', toolCallId: id, toolName: 'look' },
    ],
  })
  expect(again.tries).toBe(1)
  const sentMessages = server.requests[2]!.body.messages
  expect(sentMessages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
  expect(sentMessages[0]!.content).toContain('looks at something')
  expect(sentMessages[2]!.content).toContain('{"tool":"look","input":{"what":"pods"}}')
  expect(sentMessages[3]!.content).toBe('Result of look:\nall run')
})

test('parses calls that a server leaves in the text, unless tools are native only', async () => {
  const text = 'So:\n<tool_call>\n{"name": "look", "arguments": {"what": "pods"}}\n</tool_call>'
  const lenient = await openScripted([{ text }])
  expect(await lenient.model.ask(QUESTION)).toMatchObject({
    text: 'So:',
    finish: 'tool-calls',
    toolCalls: [{ name: 'look', input: { what: 'pods' } }],
  })
  const strict = await openScripted([{ text }], { tools: 'native' })
  expect(await strict.model.ask(QUESTION)).toMatchObject({ text, toolCalls: [], finish: 'stop' })
})

test('replaces an empty turn, which some endpoints reject', async () => {
  const { server, model } = await openScripted([{ text: 'again' }])
  const messages: ModelRequest['messages'] = [
    ...QUESTION.messages,
    { role: 'assistant', content: ' \n' },
    { role: 'user', content: 'Well?' },
  ]
  await model.ask({ messages })
  expect(server.requests[0]!.body.messages.map(({ content }) => content).slice(2)).toEqual([
    '(no answer)',
    'Well?',
  ])
})

test('stops streaming once the endpoint has refused it', async () => {
  const { model } = await openScripted(({ body }) =>
    body.stream === true ? { status: 400, message: 'stream is not supported' } : { text: 'in one piece' },
  )
  expect(await model.ask(QUESTION)).toMatchObject({ text: 'in one piece', tries: 2 })
  expect(await model.ask(QUESTION)).toMatchObject({ tries: 1 })
})

test('counts 0 tokens if the server reports none', async () => {
  const { server, model } = await openScripted(() => ({ text: 'free', usage: null }))
  expect((await model.ask(QUESTION)).usage).toEqual({ input: 0, output: 0 })
  await model.ask(QUESTION)
  expect(server.requests.map(({ body }) => body.stream ?? false)).toEqual([true, false])
})

test('replays a recording, and explains how a request differs from it', async () => {
  const { model } = await openScripted([
    { text: 'one' },
    { text: 'two' },
    { status: 400, message: 'no more' },
  ])
  const file = createRecordPath()
  const recorder = recordCalls(model, file)
  const answers = [await recorder.ask(QUESTION), await recorder.ask(QUESTION)]
  await expect(recorder.ask(QUESTION)).rejects.toThrow('no more')
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(3)

  const replay = openModel(`replay:${file}`)
  expect(replay.name).toBe('compatible:tester')
  expect([await replay.ask(QUESTION), await replay.ask(QUESTION)]).toEqual(answers)
  await expect(replay.ask(QUESTION)).rejects.toMatchObject({ code: 'model-failed', blame: 'provider' })
  await expect(replay.ask(QUESTION)).rejects.toThrow('no calls are left')
  const otherQuestion = {
    messages: [QUESTION.messages[0]!, { role: 'user' as const, content: 'Who are you?' }],
  }
  await expect(replayCalls(file).ask(otherQuestion)).rejects.toMatchObject({
    code: 'not-recorded',
    message: expect.stringContaining('message 2 is "Who are you?", but was "What is wrong?"'),
  })
  await expect(replayCalls(file).ask({ ...QUESTION, tools: [] })).rejects.toThrow('the tools or the settings')
})

test('blames the harness if a recording cannot be written', async () => {
  const { model } = await openScripted([
    { text: 'one' },
    { text: 'two' },
    { status: 400, message: 'no more' },
  ])
  const file = createRecordPath()
  await recordCalls(model, join(file, '..', 'made', 'on the way.jsonl')).ask(QUESTION)
  writeFileSync(file, '')
  const recordLost = {
    code: 'record-lost',
    blame: 'harness',
    message: expect.stringContaining('cannot be written'),
  }
  const recorder = recordCalls(model, join(file, 'below a file.jsonl'))
  await expect(recorder.ask(QUESTION)).rejects.toMatchObject(recordLost)
  await expect(recorder.ask(QUESTION)).rejects.toMatchObject(recordLost)
})

test('reads the recording file and the price from the environment', async () => {
  const { server } = await openScripted([{ text: 'one', usage: { input: 1_000_000, output: 0 } }])
  const file = createRecordPath()
  const env = { REMEDIUM_BASE_URL: server.url, REMEDIUM_RECORD: file, REMEDIUM_PRICE: '7,1' }
  const answer = await openModel('compatible:tester', { env }).ask(QUESTION)
  expect(answer.costUsd).toBe(7)
  expect(await replayCalls(file).ask(QUESTION)).toEqual(answer)
})

test.each([
  ['gpt-5', /is not the name of a model/],
  ['opnai:gpt-5', /provider of language models "opnai" does not exist/],
  ['openai:gpt-5', /requires a key/],
  ['compatible:x', /requires an address/],
  ['vllm:x', /is not a valid address/],
  ['replay:/nowhere/at/all', /cannot be read/],
])('rejects %s: %s', async (name, message) => {
  const openAndAsk = async () => openModel(name, { env: { VLLM_BASE_URL: 'localhost:8000' } }).ask(QUESTION)
  await expect(openAndAsk()).rejects.toThrow(message)
  await expect(openAndAsk()).rejects.toMatchObject({ blame: 'operator' })
})

test('rejects a missing address when the model is opened', () => {
  expect(() => openModel('compatible:x', { env: {} })).toThrow(
    expect.objectContaining({
      code: 'bad-argument',
      hint: 'Pass --base-url, or set the environment variable REMEDIUM_BASE_URL.',
    }),
  )
})

test('uses the given address, then the addresses of the run, then the environment', async () => {
  const [runServer, otherServer] = [
    await openScripted([{ text: 'kept' }]),
    await openScripted([{ text: 'other' }]),
  ]
  const options = {
    env: { REMEDIUM_BASE_URL: otherServer.server.url },
    addresses: { compatible: runServer.server.url, openai: 'http://127.0.0.1:1' },
  }
  expect((await openModel('compatible:x', options).ask(QUESTION)).text).toBe('kept')
  const otherOptions = { ...options, baseUrl: otherServer.server.url }
  expect((await openModel('compatible:x', otherOptions).ask(QUESTION)).text).toBe('other')
  expect(
    findAddresses({ REMEDIUM_BASE_URL: 'http://a', OPENAI_BASE_URL: ' ' }, ['compatible:x', 'openai:y']),
  ).toEqual({ compatible: 'http://a' })
})

test('names the variable of a missing key, and lists the providers', () => {
  expect(() => openModel('google:gemini-2.5-pro', { env: {} })).toThrow(
    expect.objectContaining({
      hint: expect.stringContaining('GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY'),
    }),
  )
  expect(() => openModel('opnai:x')).toThrow(
    expect.objectContaining({
      hint: expect.stringMatching(/Did you mean openai\? Existing providers: openai, anthropic/),
    }),
  )
})

test('lists which providers are ready', () => {
  const providers = listProviders({ OPENAI_API_KEY: 'x' })
  const ready = Object.fromEntries(providers.map(({ name, isReady }) => [name, isReady]))
  expect(ready).toMatchObject({ openai: true, anthropic: false, google: false, ollama: true, replay: true })
  const isCompatibleReady = (env: Record<string, string>) =>
    listProviders(env).find(({ name }) => name === 'compatible')!.isReady
  expect([isCompatibleReady({}), isCompatibleReady({ REMEDIUM_BASE_URL: 'http://a' })]).toEqual([false, true])
})

test.each([
  ['openai:gpt-4o-mini-2024-07-18', 0.15],
  ['openai:gpt-4o', 2.5],
  ['openai:gpt-4o-audio', undefined],
  ['vllm:gpt-4o', undefined],
])('lists the price of %s as %s', (model, input) => {
  expect(findPrice(model)?.input).toBe(input)
})

test('uses the given price, and none if no price is known', async () => {
  const usage = { input: 1_000_000, output: 100_000 }
  const costs = await Promise.all(
    [{}, { price: parsePrice('1,2') }].map(async (options) => {
      const { model } = await openScripted([{ text: 'x', usage }], options)
      return (await model.ask(QUESTION)).costUsd
    }),
  )
  expect(costs).toEqual([undefined, 1.2])
  for (const invalid of ['', '1', '1,x', '1,2,', '1,2,3,4', '-1,2', '1,,2'])
    expect(() => parsePrice(invalid)).toThrow(/is not a valid price/)
  expect(parsePrice('1,2,0.1')).toEqual({ input: 1, output: 2, cachedInput: 0.1 })
})
