/** The control socket of a cluster: commands in other processes send a JSON line and get one back. */
import { closeSync, existsSync, openSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { defined } from '#kit'
import { type JourneyRecord, RemediumError, type RequestRecord, toRemediumError } from '#spec'
import type { InjectRequest } from './manual-faults.ts'
import type { NodeState } from './node-state.ts'

export type ControlRequest =
  | { readonly command: 'status' | 'reset' | 'down' | 'recover' }
  | ({ readonly command: 'inject' } & InjectRequest)
  | ({ readonly command: 'record' } & UserRecords)
  | { readonly command: 'telemetry'; readonly method: string; readonly arguments: readonly unknown[] }
  | { readonly command: 'node'; readonly node: string; readonly state: NodeState }

/** Requests and journey runs of users that another process simulates. */
export interface UserRecords {
  readonly requests: readonly RequestRecord[]
  readonly journeys: readonly JourneyRecord[]
}

/** `value` is absent if the command returns nothing. */
type Reply = { value?: unknown } | { error: { code: string; message: string; hint?: string } }

const SOCKET = 'control'

/**
 * On Linux the path goes through a file descriptor of the folder, because the address of a socket is limited to 107 bytes. Other systems do
 * not have such paths.
 */
const withSocketPath = async <T>(folder: string, task: (path: string) => Promise<T>): Promise<T> => {
  if (process.platform !== 'linux') return await task(join(folder, SOCKET))
  const fd = openSync(folder, 'r')
  try {
    return await task(`/proc/self/fd/${fd}/${SOCKET}`)
  } finally {
    closeSync(fd)
  }
}

/** A socket whose peer was killed emits an error, and readline emits it again; both need a listener. */
const onFirstLine = (socket: Socket, onLine: (line: string) => void): void => {
  socket.on('error', () => {})
  createInterface({ input: socket })
    .once('line', onLine)
    .on('error', () => {})
}

export const hasControlSocket = (folder: string): boolean => existsSync(join(folder, SOCKET))

export interface ControlServer {
  close(): void
}

/** Serves until closed. The socket is removed with the folder. */
export const serveControl = async (
  folder: string,
  handle: (request: ControlRequest) => Promise<unknown>,
): Promise<ControlServer> => {
  const answer = async (line: string): Promise<Reply> => {
    try {
      return { value: await handle(JSON.parse(line)) }
    } catch (thrown) {
      const { code, message, hint } = toRemediumError(thrown)
      return { error: { code, message, ...defined({ hint }) } }
    }
  }
  const server = createServer((socket) => {
    onFirstLine(socket, (line) => {
      void answer(line).then((reply) => socket.end(`${JSON.stringify(reply)}\n`))
    })
  })
  await withSocketPath(
    folder,
    (path) =>
      new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(path, resolve)
      }),
  )
  return { close: () => void server.close() }
}

const connectTo = (path: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(path, () => resolve(socket))
    socket.once('error', reject)
  })

/** Resolves to the answer; rejects with the cluster's error, or with `cluster-lost` if it does not answer in time. */
export const sendControlRequest = async (
  folder: string,
  request: ControlRequest,
  timeoutMs: number,
): Promise<unknown> => {
  const toLostError = (cause?: unknown): RemediumError =>
    new RemediumError('cluster-lost', `The cluster in ${folder} does not answer.`, { cause })
  const socket = await withSocketPath(folder, connectTo).catch((cause) => {
    throw toLostError(cause)
  })
  const reply = await new Promise<Reply | undefined>((resolve) => {
    socket.setTimeout(timeoutMs, () => resolve(undefined))
    socket.on('close', () => resolve(undefined))
    onFirstLine(socket, (line) => resolve(JSON.parse(line)))
    socket.write(`${JSON.stringify(request)}\n`)
  })
  socket.destroy()
  if (reply === undefined) throw toLostError()
  if (!('error' in reply)) return reply.value
  const { code, message, hint } = reply.error
  throw new RemediumError(code as 'defect', message, { hint })
}
