/** Accepts exec and attach over SPDY/3.1, where the client opens one stream for each of stdin, stdout and so on. */
import {
  type CommandConnection,
  type RemoteCommandOptions,
  versionOf,
} from '../command/command-connection.ts'
import type { Upgrade } from '../upgrade.ts'
import { acceptSpdy } from './accept-spdy.ts'
import { createSpdyConnection } from './spdy-connection.ts'
import type { SpdyStream } from './spdy-stream.ts'

/** A real kubelet does not support v5 over SPDY; clients that offer it fall back to v4. */
const PROTOCOLS = ['v4.channel.k8s.io', 'v3.channel.k8s.io', 'v2.channel.k8s.io', 'channel.k8s.io']
const FIRST_RESIZE_VERSION = 3
const STREAM_CREATION_TIMEOUT_MS = 30_000

type StreamType = 'error' | 'stdin' | 'stdout' | 'stderr' | 'resize'

const expectedStreams = (options: RemoteCommandOptions, version: number): StreamType[] => [
  'error',
  ...(options.stdin ? ['stdin' as const] : []),
  ...(options.stdout ? ['stdout' as const] : []),
  ...(options.stderr ? ['stderr' as const] : []),
  ...(options.tty && version >= FIRST_RESIZE_VERSION ? ['resize' as const] : []),
]

/** Resolves with undefined if the request is rejected, or if the client does not open all streams in time. */
export const acceptSpdyCommand = (
  upgrade: Upgrade,
  options: RemoteCommandOptions,
): Promise<CommandConnection | undefined> => {
  const accepted = acceptSpdy(upgrade, PROTOCOLS)
  if (accepted === undefined) return Promise.resolve(undefined)
  const version = versionOf(accepted.protocol)
  const missing = new Set<string>(expectedStreams(options, version))
  const streams = new Map<string, SpdyStream>()

  return new Promise((resolve) => {
    const timeout = options.clock.after(STREAM_CREATION_TIMEOUT_MS, () => connection.close())
    const settle = (result: CommandConnection | undefined): void => {
      timeout.cancel()
      resolve(result)
    }
    const connection = createSpdyConnection(accepted.transport, options.clock, (stream) => {
      const type = stream.headers.get('streamtype') ?? ''
      if (!missing.delete(type)) {
        stream.input.resume()
        return true
      }
      if (type !== 'stdin' && type !== 'resize') stream.input.resume()
      streams.set(type, stream)
      if (missing.size === 0) {
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
