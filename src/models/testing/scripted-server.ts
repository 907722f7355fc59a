/** An OpenAI-compatible server over real HTTP that answers by a script and keeps count of the tokens it told. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type SaidAnswer,
  type ServerAnswer,
  type ServerUsage,
  toBody,
  toChunks,
  toWireUsage,
} from './server-answers.ts'

/** A request as it came, as far as tests look at it. */
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
  | ((request: ServerRequest, place: number) => ServerAnswer)

export interface ScriptedServer {
  /** To be given as the base address of a provider. */
  readonly url: string
  readonly requests: readonly ServerRequest[]
  /** All tokens of answers that it gave, as it told them. */
  readonly told: { input: number; output: number; cachedInput: number; reasoning: number }
  close(): Promise<void>
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}

const countFor = (said: SaidAnswer, request: ServerRequest): ServerUsage | undefined => {
  if (said.usage === null) return undefined
  if (said.usage !== undefined) return said.usage
  const answered = JSON.stringify([said.text, said.calls]).length
  return { input: Math.ceil(JSON.stringify(request.body).length / 4), output: Math.ceil(answered / 4) }
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

const makeTrouble = (
  trouble: Extract<ServerAnswer, { trouble: string }>['trouble'],
  { body }: ServerRequest,
  response: ServerResponse,
  usage: object,
): void => {
  const chunks = toChunks({ text: 'This is going to be cut off.' }, body.model, 0, undefined).slice(0, 3)
  const dead = { error: { message: 'the engine died', type: 'server_error' } }
  if (trouble === 'cut') response.socket?.destroy()
  else if (trouble === 'broken-json') sendJson(response, 200, '{"choices": [{"message": {"content": "hal')
  else if (trouble === 'no-choices') sendJson(response, 200, JSON.stringify({ choices: [], usage }))
  else if (trouble === 'error-in-stream') sendStream(response, [...chunks, dead])
  else if (trouble === 'half') {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    response.write('data: {"choi', () => response.socket?.destroy())
  }
}

/** Answers in the order of the script; asked more often, it answers 400. */
export const createScriptedServer = async (script: ServerScript): Promise<ScriptedServer> => {
  const requests: ServerRequest[] = []
  const told = { input: 0, output: 0, cachedInput: 0, reasoning: 0 }
  const count = (usage: ServerUsage): void => {
    told.input += usage.input
    told.output += usage.output
    told.cachedInput += usage.cachedInput ?? 0
    told.reasoning += usage.reasoning ?? 0
  }

  const answerFor = (request: ServerRequest, place: number): ServerAnswer => {
    if (typeof script === 'function') return script(request, place)
    const next = script[place] ?? { status: 400, message: `the script has only ${script.length} answers` }
    return typeof next === 'function' ? next(request) : next
  }

  const say = (said: SaidAnswer, request: ServerRequest, place: number, response: ServerResponse): void => {
    const usage = countFor(said, request)
    if (usage !== undefined) count(usage)
    const written = usage === undefined ? undefined : toWireUsage(usage)
    const { model, stream } = request.body
    if (stream === true) sendStream(response, toChunks(said, model, place, written))
    else sendJson(response, 200, JSON.stringify(toBody(said, model, place, written)))
  }

  const serve = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = JSON.parse(await readBody(message))
    const request: ServerRequest = { path: message.url ?? '', headers: message.headers, body }
    const place = requests.push(request) - 1
    if (request.path !== '/v1/chat/completions')
      return sendJson(response, 404, '{"error":{"message":"not here"}}')
    const answer = answerFor(request, place)
    if ('trouble' in answer) {
      const usage = { input: 5, output: 3, costUsd: 0.25 }
      if (answer.trouble === 'no-choices') count(usage)
      return makeTrouble(answer.trouble, request, response, toWireUsage(usage))
    }
    if (!('status' in answer)) return say(answer, request, place, response)
    const { status, message: words = 'as the script says', code = null, headers } = answer
    sendJson(response, status, JSON.stringify({ error: { message: words, type: 'error', code } }), headers)
  }

  const server = createServer((message, response) => {
    serve(message, response).catch((thrown) => response.destroy(thrown as Error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    told,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
