/** Talks to a gym in this process over JSON lines. Each line gets one reply, in any order. */
import { PassThrough } from 'node:stream'
import { type Gym, serveStdio } from '#lab/gym'

export interface JsonLinesClient {
  /** Resolves with the reply to a valid request. */
  ask(method: string, params: object): Promise<any>
  /** Sends a line without waiting for its reply. Resolves when few lines are unanswered. */
  send(line: string): Promise<void>
  /** Resolves when every line is answered. */
  drained(): Promise<void>
  /** Lines without a reply, and replies that are no JSON. */
  readonly faults: readonly string[]
  /** Codes of errors in replies to `send`, with their counts. */
  readonly errors: ReadonlyMap<string, number>
  close(): Promise<void>
}

const MAX_UNANSWERED = 200

export const connectTo = (gym: Gym): JsonLinesClient => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const controller = new AbortController()
  const serving = serveStdio({ gym, input, output, signal: controller.signal })
  const waiting = new Map<string, (reply: any) => void>()
  const errors = new Map<string, number>()
  const faults: string[] = []
  let [lastId, unanswered] = [0, 0]
  let changed = Promise.withResolvers<void>()
  const receive = (line: string): void => {
    const reply = JSON.parse(line)
    if (reply.ready !== undefined) return
    const resolve = waiting.get(reply.id)
    if (resolve === undefined) {
      unanswered -= 1
      const code = reply.error?.code ?? 'none'
      errors.set(code, (errors.get(code) ?? 0) + 1)
    } else {
      waiting.delete(reply.id)
      resolve(reply)
    }
    changed.resolve()
    changed = Promise.withResolvers()
  }
  let rest = ''
  output.setEncoding('utf8')
  output.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    for (const line of lines)
      try {
        receive(line)
      } catch {
        faults.push(`not a reply: ${line.slice(0, 200)}`)
      }
  })
  const waitUntil = async (isReached: () => boolean): Promise<void> => {
    while (!isReached()) await changed.promise
  }
  return {
    errors,
    faults,
    ask(method, params) {
      lastId += 1
      const id = `ask-${lastId}`
      const { promise, resolve } = Promise.withResolvers<any>()
      waiting.set(id, resolve)
      input.write(`${JSON.stringify({ id, method, params })}\n`)
      return promise
    },
    async send(line) {
      unanswered += 1
      input.write(`${line}\n`)
      await waitUntil(() => unanswered < MAX_UNANSWERED)
    },
    drained: () => waitUntil(() => unanswered === 0 && waiting.size === 0),
    async close() {
      controller.abort()
      await serving
    },
  }
}
