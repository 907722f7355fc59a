/** Tests of the wire formats and addresses of the providers. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import type { ModelRequest } from '#spec'
import { createModelCache, openModel } from './index.ts'

/** An answer in the format of each provider: a sentence and a call of `look`. */
const ANSWERS = {
  openai: {
    key: ['OPENAI_API_KEY', 'authorization', 'Bearer k1'],
    path: '/v1/responses',
    body: {
      id: 'r',
      created_at: 1,
      model: 'm',
      output: [
        {
          type: 'message',
          id: 'm1',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'I look.', annotations: [] }],
        },
        { type: 'function_call', id: 'f1', call_id: 'c1', name: 'look', arguments: '{"what":"pods"}' },
      ],
      usage: {
        input_tokens: 30,
        input_tokens_details: { cached_tokens: 10 },
        output_tokens: 8,
        output_tokens_details: { reasoning_tokens: 2 },
      },
    },
    usage: { input: 30, output: 8, cachedInput: 10, reasoning: 2 },
  },
  anthropic: {
    key: ['ANTHROPIC_API_KEY', 'x-api-key', 'k1'],
    path: '/v1/messages',
    body: {
      type: 'message',
      id: 'm',
      role: 'assistant',
      model: 'm',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'c1', name: 'look', input: { what: 'pods' } },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 20, cache_read_input_tokens: 10, output_tokens: 8 },
    },
    usage: { input: 30, output: 8, cachedInput: 10 },
  },
  google: {
    key: ['GEMINI_API_KEY', 'x-goog-api-key', 'k1'],
    path: '/v1/models/m:generateContent',
    body: {
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { text: 'I look.' },
              { functionCall: { name: 'look', args: { what: 'pods' } }, thoughtSignature: 'signed' },
            ],
          },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: {
        promptTokenCount: 30,
        cachedContentTokenCount: 10,
        candidatesTokenCount: 6,
        thoughtsTokenCount: 2,
        totalTokenCount: 38,
      },
    },
    usage: { input: 30, output: 8, cachedInput: 10, reasoning: 2 },
  },
} as const

const PROVIDER_HOSTS = {
  openai: 'api.openai.com',
  anthropic: 'api.anthropic.com',
  google: 'generativelanguage.googleapis.com',
} as const

const REQUEST: ModelRequest = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'What is wrong?' },
  ],
  tools: [
    { name: 'look', about: 'looks', input: { type: 'object', properties: { what: { type: 'string' } } } },
  ],
}

let close = (): unknown => undefined
afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  close()
})

test.each(['openai', 'anthropic', 'google'] as const)('%s is called in its own format', async (provider) => {
  const { key, path, body, usage } = ANSWERS[provider]
  const requests: { path: string | undefined; headers: object; body: string }[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    requests.push({ path: request.url, headers: request.headers, body: text })
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  close = () => server.close()
  const model = openModel(`${provider}:m`, {
    env: { [key[0]]: 'k1' },
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    stream: false,
  })

  const answer = await model.ask(REQUEST)
  expect(answer).toMatchObject({ text: 'I look.', finish: 'tool-calls', usage })
  expect(answer.toolCalls).toMatchObject([{ name: 'look', input: { what: 'pods' } }])
  expect(requests[0]).toMatchObject({ path, headers: { [key[1]]: key[2] } })

  const { id } = answer.toolCalls[0]!
  await model.ask({
    ...REQUEST,
    messages: [
      ...REQUEST.messages,
      { role: 'assistant', content: answer.text, toolCalls: answer.toolCalls },
      { role: 'tool', content: 'all pods run', toolCallId: id, toolName: 'look' },
    ],
  })
  expect(requests[1]!.body).toContain('all pods run')
  // Gemini rejects a repeated call without the signature that it sent with the call.
  expect(requests[1]!.body.includes('signed')).toBe(provider === 'google')
})

test.each(['openai', 'anthropic', 'google'] as const)(
  '%s is called at its default address, not at that of the environment',
  async (provider) => {
    vi.stubEnv(ANSWERS[provider].key[0], 'k1')
    for (const variable of ['OPENAI_BASE_URL', 'ANTHROPIC_BASE_URL', 'GOOGLE_BASE_URL'])
      vi.stubEnv(variable, 'http://elsewhere.test/v1')
    const hosts: string[] = []
    vi.stubGlobal('fetch', async (url: string) => {
      hosts.push(new URL(url).host)
      return Response.json({ error: { message: 'no' } }, { status: 401 })
    })
    await expect(createModelCache()(`${provider}:m`).ask(REQUEST)).rejects.toThrow()
    expect(new Set(hosts)).toEqual(new Set([PROVIDER_HOSTS[provider]]))
  },
)
