/** The Thrift server of a simulated program: it answers like `startThriftServer`, on the network of its host. */
import type { ProgramHost, ProgramMessage } from '#spec'
import type { ListeningServer, ServeOptions } from '#world/twin/ports'
import { serveConnections } from '../wire/server-connections.ts'
import { ThriftRequest, toExceptionMessage, toReplyMessage } from './thrift-content.ts'

const serveCall = async (
  { name, headers, message }: ThriftRequest,
  { handler }: ServeOptions,
): Promise<ProgramMessage> => {
  const answer = await handler({ method: 'RPC', path: name, query: {}, headers, body: message })
  return answer.status === 0 ? toReplyMessage(answer.body) : toExceptionMessage(String(answer.body ?? ''))
}

/** Calls of one connection do not overlap, because clients send one at a time. */
export const startSimulatedThriftServer = async (
  host: Pick<ProgramHost, 'network' | 'time'>,
  options: ServeOptions,
): Promise<ListeningServer> =>
  serveConnections({
    host,
    port: options.port,
    defaultGraceMs: 0,
    closesIdle: true,
    accept:
      () =>
      async ({ content }) => {
        if (!(content instanceof ThriftRequest)) throw new Error('the request is not Thrift')
        return serveCall(content, options)
      },
  })
