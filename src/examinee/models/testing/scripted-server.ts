/** An OpenAI-compatible HTTP server that answers from a script and counts the tokens it has reported. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type ServerAnswer,
  type ServerUsage,
  type TextAnswer,
  toBody,
  toChunks,
  toWireUsage,
} from './server-answers.ts'

/** The parts of a request that tests use. */
export interface ServerRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: {
    readonly model: string
    readonly stream?: boolean
    readonly messages: readonly {
      readonly role: string
      readonly content: unknown
      readonly tool_calls?: readonly {
        readonly function: { readonly name: string; readonly arguments: string }
      }[]
    }[]
    readonly tools?: readonly { readonly function: { readonly name: string } }[]
    readonly [field: string]: unknown
  }
}

export type ServerScript =
  | readonly (ServerAnswer | ((request: ServerRequest) => ServerAnswer))[]
  | ((request: ServerRequest, index: number) => ServerAnswer)

export interface ScriptedServer {
  /** The base address for a provider. */
  readonly url: string
  readonly requests: readonly ServerRequest[]
  /** The sum of the tokens that it has reported. */
  readonly reported: { input: number; output: number; cachedInput: number; reasoning: number }
  close(): Promise<void>
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}

const usageFor = (answer: TextAnswer, request: ServerRequest): ServerUsage | undefined => {
  if (answer.usage === null) return undefined
  if (answer.usage !== undefined) return answer.usage
  const answerCharacters = JSON.stringify([answer.text, answer.calls]).length
  return {
    input: Math.ceil(JSON.stringify(request.body).length / 4),
    output: Math.ceil(answerCharacters / 4),
  }
}

const sendStream = (response: ServerResponse, chunks: readonly object[]): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  response.end('data: [DONE]\n\n')
}

const sendJson = (response: ServerResponse, status: number, text: string, headers: object = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(text)
}

const sendFailure = (
  failure: Extract<ServerAnswer, { failure: string }>['failure'],
  { body }: ServerRequest,
  response: ServerResponse,
  usage: object,
): void => {
  const chunks = toChunks({ text: 'This is going to be cut off.' }, body.model, 0, undefined).slice(0, 3)
  const errorChunk = { error: { message: 'the engine died', type: 'server_error' } }
  if (failure === 'cut') response.socket?.destroy()
  else if (failure === 'broken-json') sendJson(response, 200, '{"choices": [{"message": {"content": "hal')
  else if (failure === 'no-choices') sendJson(response, 200, JSON.stringify({ choices: [], usage }))
  else if (failure === 'error-in-stream') sendStream(response, [...chunks, errorChunk])
  else if (failure === 'half') {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    response.write('data: {"choi', () => response.socket?.destroy())
  }
}

/** Answers in the order of the script, and with 400 after its end. */
export const createScriptedServer = async (script: ServerScript): Promise<ScriptedServer> => {
  const requests: ServerRequest[] = []
  const reported = { input: 0, output: 0, cachedInput: 0, reasoning: 0 }
  const countUsage = (usage: ServerUsage): void => {
    reported.input += usage.input
    reported.output += usage.output
    reported.cachedInput += usage.cachedInput ?? 0
    reported.reasoning += usage.reasoning ?? 0
  }

  const answerFor = (request: ServerRequest, index: number): ServerAnswer => {
    if (typeof script === 'function') return script(request, index)
    const next = script[index] ?? { status: 400, message: `the script has only ${script.length} answers` }
    return typeof next === 'function' ? next(request) : next
  }

  const sendAnswer = (
    answer: TextAnswer,
    request: ServerRequest,
    index: number,
    response: ServerResponse,
  ): void => {
    const usage = usageFor(answer, request)
    if (usage !== undefined) countUsage(usage)
    const wireUsage = usage === undefined ? undefined : toWireUsage(usage)
    const { model, stream } = request.body
    if (stream === true) sendStream(response, toChunks(answer, model, index, wireUsage))
    else sendJson(response, 200, JSON.stringify(toBody(answer, model, index, wireUsage)))
  }

  const serve = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = JSON.parse(await readBody(message))
    const request: ServerRequest = { path: message.url ?? '', headers: message.headers, body }
    const index = requests.push(request) - 1
    if (request.path !== '/v1/chat/completions')
      return sendJson(response, 404, '{"error":{"message":"not here"}}')
    const answer = answerFor(request, index)
    if ('failure' in answer) {
      const usage = { input: 5, output: 3, costUsd: 0.25 }
      if (answer.failure === 'no-choices') countUsage(usage)
      return sendFailure(answer.failure, request, response, toWireUsage(usage))
    }
    if (!('status' in answer)) return sendAnswer(answer, request, index, response)
    const { status, message: text = 'as the script says', code = null, headers } = answer
    sendJson(response, status, JSON.stringify({ error: { message: text, type: 'error', code } }), headers)
  }

  const server = createServer((message, response) => {
    serve(message, response).catch((thrown) => response.destroy(thrown as Error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    reported,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
