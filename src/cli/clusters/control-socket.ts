/** How commands speak to a cluster that runs in another process: a JSON line each way, over a socket in its folder. */
import { closeSync, existsSync, openSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type JourneyRecord, RemediumError, type RequestRecord, toRemediumError } from '../../spec/index.ts'
import type { InjectRequest } from './manual-faults.ts'
import type { NodeState } from './node-state.ts'

export type ControlRequest =
  | { readonly command: 'status' | 'reset' | 'down' | 'recover' }
  | ({ readonly command: 'inject' } & InjectRequest)
  | ({ readonly command: 'record' } & UserRecords)
  | { readonly command: 'node'; readonly node: string; readonly state: NodeState }

/** What users lived who were sent by another process. */
export interface UserRecords {
  readonly requests: readonly RequestRecord[]
  readonly journeys: readonly JourneyRecord[]
}

/** A command that has nothing to tell is answered without a value. */
type Reply = { value?: unknown } | { error: { code: string; message: string; hint?: string } }

const SOCKET = 'control'

/** Addresses of sockets are short, folders need not be: the way leads through a descriptor of the folder. */
const through = async <T>(folder: string, task: (path: string) => Promise<T>): Promise<T> => {
  const fd = openSync(folder, 'r')
  try {
    return await task(`/proc/self/fd/${fd}/${SOCKET}`)
  } finally {
    closeSync(fd)
  }
}

/** A socket whose other side was killed fails; lines say so once more, and must be heard too. */
const onFirstLine = (socket: Socket, take: (line: string) => void): void => {
  socket.on('error', () => {})
  createInterface({ input: socket })
    .once('line', take)
    .on('error', () => {})
}

export const hasControl = (folder: string): boolean => existsSync(join(folder, SOCKET))

export interface ControlServer {
  close(): void
}

/** Serves until closed. The socket goes with the folder. */
export const serveControl = async (
  folder: string,
  serve: (request: ControlRequest) => Promise<unknown>,
): Promise<ControlServer> => {
  const answer = async (line: string): Promise<Reply> => {
    try {
      return { value: await serve(JSON.parse(line)) }
    } catch (thrown) {
      const { code, message, hint } = toRemediumError(thrown)
      return { error: { code, message, ...(hint === undefined ? {} : { hint }) } }
    }
  }
  const server = createServer((socket) => {
    onFirstLine(socket, (line) => {
      void answer(line).then((reply) => socket.end(`${JSON.stringify(reply)}\n`))
    })
  })
  await through(
    folder,
    (path) =>
      new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(path, resolve)
      }),
  )
  return { close: () => void server.close() }
}

const connected = (path: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(path, () => resolve(socket))
    socket.once('error', reject)
  })

/** What the cluster answers; rejects with its own error, or when its process does not speak within the time. */
export const askCluster = async (
  folder: string,
  request: ControlRequest,
  timeoutMs: number,
): Promise<unknown> => {
  const silence = (cause?: unknown): RemediumError =>
    new RemediumError('cluster-lost', `The cluster in ${folder} does not answer.`, { cause })
  const socket = await through(folder, connected).catch((cause) => {
    throw silence(cause)
  })
  const reply = await new Promise<Reply | undefined>((resolve) => {
    socket.setTimeout(timeoutMs, () => resolve(undefined))
    socket.on('close', () => resolve(undefined))
    onFirstLine(socket, (line) => resolve(JSON.parse(line)))
    socket.write(`${JSON.stringify(request)}\n`)
  })
  socket.destroy()
  if (reply === undefined) throw silence()
  if (!('error' in reply)) return reply.value
  const { code, message, hint } = reply.error
  throw new RemediumError(code as 'defect', message, { hint })
}
