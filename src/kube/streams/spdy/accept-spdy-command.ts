/** Exec and attach over SPDY/3.1: the client opens one stream for each thing it wants to carry. */
import { type CommandConnection, type RemoteCommandOptions, versionOf } from '../command-connection.ts'
import type { Upgrade } from '../upgrade.ts'
import { acceptSpdy } from './accept-spdy.ts'
import { createSpdyConnection } from './spdy-connection.ts'
import type { SpdyStream } from './spdy-stream.ts'

/** A real kubelet knows no v5 over SPDY; clients that offer it settle for v4, which is the same there. */
const PROTOCOLS = ['v4.channel.k8s.io', 'v3.channel.k8s.io', 'v2.channel.k8s.io', 'channel.k8s.io']
const FIRST_WITH_RESIZE = 3
const STREAM_CREATION_MS = 30_000

type StreamType = 'error' | 'stdin' | 'stdout' | 'stderr' | 'resize'

const expectedStreams = (options: RemoteCommandOptions, version: number): StreamType[] => [
  'error',
  ...(options.stdin ? ['stdin' as const] : []),
  ...(options.stdout ? ['stdout' as const] : []),
  ...(options.stderr ? ['stderr' as const] : []),
  ...(options.tty && version >= FIRST_WITH_RESIZE ? ['resize' as const] : []),
]

/** Resolves with nothing when the request was refused, or the client left or dawdled before all streams were there. */
export const acceptSpdyCommand = (
  upgrade: Upgrade,
  options: RemoteCommandOptions,
): Promise<CommandConnection | undefined> => {
  const accepted = acceptSpdy(upgrade, PROTOCOLS)
  if (accepted === undefined) return Promise.resolve(undefined)
  const version = versionOf(accepted.protocol)
  const awaited = new Set<string>(expectedStreams(options, version))
  const streams = new Map<string, SpdyStream>()

  return new Promise((resolve) => {
    const timeout = options.clock.after(STREAM_CREATION_MS, () => connection.close())
    const settle = (result: CommandConnection | undefined): void => {
      timeout.cancel()
      resolve(result)
    }
    const connection = createSpdyConnection(accepted.transport, options.clock, (stream) => {
      const type = stream.headers.get('streamtype') ?? ''
      if (!awaited.delete(type)) {
        stream.input.resume()
        return true
      }
      if (type !== 'stdin' && type !== 'resize') stream.input.resume()
      streams.set(type, stream)
      if (awaited.size === 0) {
        settle({
          version,
          stdin: streams.get('stdin')?.input,
          stdout: streams.get('stdout')?.output,
          stderr: streams.get('stderr')?.output,
          resize: streams.get('resize')?.input,
          error: streams.get('error')!.output,
          closed: connection.closed,
          close: connection.close,
        })
      }
      return true
    })
    connection.closed.addEventListener('abort', () => settle(undefined), { once: true })
  })
}
