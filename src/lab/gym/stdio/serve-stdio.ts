/** Serves a gym over JSON lines: a request on each line of the input, a reply on each line of the output. */
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { z } from 'zod'
import { defined } from '#kit'
import { RemediumError, toRemediumError } from '#spec'
import type { Gym } from '../create-gym.ts'
import { createRequestHandler } from './perform-request.ts'
import { createLineSplitter } from './split-lines.ts'

export const STDIO_VERSION = 1
const MAX_LINE_BYTES = 16_000_000
/** With more unanswered requests, reading is paused, which blocks the trainer. */
const MAX_PENDING = 1000

const Request = z.strictObject({
  id: z.union([z.string().max(200), z.number()]),
  method: z.string(),
  params: z.unknown().optional(),
})

export interface StdioOptions {
  readonly gym: Gym
  readonly input: Readable
  readonly output: Writable
  readonly signal: AbortSignal
}

const parseLine = (line: string | undefined): z.infer<typeof Request> => {
  if (line === undefined)
    throw new RemediumError('bad-argument', `The line is longer than ${MAX_LINE_BYTES} bytes.`)
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (cause) {
    throw new RemediumError('bad-argument', 'The line is not JSON.', { cause })
  }
  const parsed = Request.safeParse(value)
  if (parsed.success) return parsed.data
  throw new RemediumError(
    'bad-argument',
    'The line is not a request: an object with "id", "method" and "params".',
  )
}

const toError = (thrown: unknown) => {
  const { code, message, hint, blame } = toRemediumError(thrown)
  return { code, message, blame, ...defined({ hint }) }
}

/** Resolves when the input ends or the signal aborts. Does not close the gym. */
export const serveStdio = async ({ gym, input, output, signal }: StdioOptions): Promise<void> => {
  const perform = createRequestHandler(gym)
  const send = (reply: object): void => void output.write(`${JSON.stringify(reply)}\n`)
  let pending = 0
  const handle = async (line: string | undefined): Promise<void> => {
    let id: string | number | null = null
    try {
      const request = parseLine(line)
      id = request.id
      send({ id, result: await perform(request.method, request.params) })
    } catch (thrown) {
      send({ id, error: toError(thrown) })
    }
  }
  const lines = createLineSplitter(MAX_LINE_BYTES, (line) => {
    pending += 1
    if (pending >= MAX_PENDING) input.pause()
    void handle(line).finally(() => {
      pending -= 1
      if (pending < MAX_PENDING) input.resume()
    })
  })
  send({
    ready: {
      version: STDIO_VERSION,
      engine: gym.engine,
      problems: gym.problems.size,
      maxSessions: gym.maxSessions,
    },
  })
  input.on('data', (chunk) => lines.add(chunk))
  // If the reader of the output has exited, the sessions end, as at the end of the input.
  const ended = Promise.race([
    once(input, 'end', { signal }),
    once(input, 'close', { signal }),
    once(output, 'error', { signal }),
    once(output, 'close', { signal }),
  ])
  await ended.catch(() => {})
  input.pause()
}
