/** Tests that the complete answer of a model is kept, and that sampling settings are sent or refused. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { openScripted, QUESTION } from '#examinee/models/testing'
import type { SamplingSettings } from '#spec'
import { openModel } from './index.ts'

const SAMPLING: SamplingSettings = { temperature: 0.25, topP: 0.5, seed: 7, reasoning: 'high' }

describe.each([true, false])('over HTTP, streaming: %s', (stream) => {
  test('keeps the reasoning', async () => {
    const { model } = await openScripted(
      [{ text: 'Pods.', thinking: 'It may be\nthe pods.' }, { text: 'No.' }],
      {
        stream,
      },
    )
    expect(await model.ask(QUESTION)).toMatchObject({ text: 'Pods.', reasoning: 'It may be\nthe pods.' })
    expect(await model.ask(QUESTION)).not.toHaveProperty('reasoning')
  })

  test('sends the sampling settings, and none by default', async () => {
    const { server, model } = await openScripted(() => ({ text: 'x' }), { stream })
    await model.ask({ ...QUESTION, sampling: SAMPLING })
    await model.ask(QUESTION)
    expect(server.requests[0]!.body).toMatchObject({
      temperature: 0.25,
      top_p: 0.5,
      seed: 7,
      reasoning_effort: 'high',
    })
    for (const field of ['temperature', 'top_p', 'seed', 'reasoning_effort'])
      expect(server.requests[1]!.body).not.toHaveProperty(field)
  })
})

test('keeps the text from which calls were parsed', async () => {
  const text = 'I look.\n```json\n{"tool": "look", "input": {"what": "pods"}}\n```'
  const { model } = await openScripted(() => ({ text }), { tools: 'text' })
  expect(await model.ask(QUESTION)).toMatchObject({ text: 'I look.', rawText: text, toolMode: 'text' })
  const nativeMode = await openScripted(() => ({ text }))
  const answer = await nativeMode.model.ask(QUESTION)
  expect(answer).toMatchObject({ text: 'I look.', rawText: text })
  expect(answer).not.toHaveProperty('toolMode')
})

test.each([
  ["Unsupported value: 'temperature' does not support 0.25 with this model.", '--temperature'],
  ['top_p must not be given', '--top-p'],
  ['unknown field: seed', '--model-seed'],
  ['Function tools with reasoning_effort are not supported', '--reasoning'],
])('blames the operator for a refused setting: %s', async (message, option) => {
  const { server, model } = await openScripted(() => ({ status: 400, message }))
  await expect(model.ask({ ...QUESTION, sampling: SAMPLING })).rejects.toMatchObject({
    code: 'model-failed',
    blame: 'operator',
    hint: `Omit ${option}, or choose another value or model.`,
  })
  expect(server.requests).toHaveLength(1)
  await expect(model.ask({ ...QUESTION, tools: [] })).rejects.toMatchObject({ blame: 'provider' })
})

describe('a setting that the provider does not support', () => {
  afterEach(() => vi.unstubAllGlobals())

  const askAnthropic = (sampling: SamplingSettings) => {
    vi.stubGlobal('fetch', async () =>
      Response.json({
        type: 'message',
        id: 'm',
        role: 'assistant',
        model: 'm',
        content: [{ type: 'text', text: 'OK' }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: 20, output_tokens: 8 },
      }),
    )
    const model = openModel('anthropic:claude-sonnet-4-5', { env: { ANTHROPIC_API_KEY: 'k' }, stream: false })
    return model.ask({ ...QUESTION, sampling })
  }

  test.each([
    [{ seed: 7 }, 'anthropic:claude-sonnet-4-5 does not support --model-seed 7'],
    [{ temperature: 1.5 }, 'does not support --temperature 1.5: 1.5 exceeds anthropic maximum'],
    [{ temperature: 0.5, reasoning: 'high' }, 'does not support --temperature 0.5'],
  ] as const)('is refused: %j', async (sampling, message) => {
    await expect(askAnthropic(sampling)).rejects.toMatchObject({
      code: 'bad-argument',
      blame: 'operator',
      message: expect.stringContaining(message),
    })
  })

  test('does not affect supported settings', async () => {
    expect(await askAnthropic({ temperature: 0.5 })).toMatchObject({ text: 'OK' })
  })
})
