/** Serves one port-forward over SPDY, a WebSocket tunnel or WebSocket channels. */
import type { Clock } from '#kit'
import type { Channel } from '../channel.ts'
import { acceptSpdy, serveSpdyPortForward } from '../spdy/index.ts'
import { isWebSocketUpgrade, rejectUpgrade, type Upgrade, webSocketProtocols } from '../upgrade.ts'
import { acceptWebSocket, serveChannelPortForward, webSocketStream } from '../web-socket/index.ts'
import { type ConnectToPort, forwardPort } from './forward-port.ts'
import { parsePort } from './parse-port.ts'
import { type PodSandbox, portForwardFailure } from './port-forward-failure.ts'

export interface PortForwardOptions extends PodSandbox {
  /** Real time, even if the cluster has a virtual clock, because the client is real. */
  readonly clock: Clock
}

const SPDY_PROTOCOL = 'portforward.k8s.io'
/** SPDY frames inside WebSocket messages. */
const TUNNEL_PROTOCOL = 'SPDY/3.1+portforward.k8s.io'
const CHANNEL_PROTOCOLS = ['v4.channel.k8s.io', 'v4.base64.channel.k8s.io', '']

/** The ports in the query (`ports=80&ports=81,82`), or an error message. */
const parsePorts = (url: string | undefined): number[] | string => {
  const values = new URL(url ?? '', 'http://localhost').searchParams.getAll('ports')
  if (values.length === 0) return 'query parameter "port" is required'
  const ports: number[] = []
  for (const value of values) {
    if (value === '') return 'query parameter "port" cannot be empty'
    for (const text of value.split(',')) {
      const parsed = parsePort(text)
      if ('problem' in parsed) return parsed.problem
      ports.push(parsed.port)
    }
  }
  return ports
}

/** Never rejects. Resolves when the connection has ended. */
export const servePortForward = async (
  upgrade: Upgrade,
  options: PortForwardOptions,
  connect: ConnectToPort,
): Promise<void> => {
  const { clock } = options
  const forward = async (channel: Channel, port: number): Promise<string | undefined> => {
    const error = await forwardPort(channel, port, connect, clock)
    return error === undefined ? undefined : portForwardFailure(error, port, options)
  }

  if (!isWebSocketUpgrade(upgrade)) {
    const accepted = acceptSpdy(upgrade, [SPDY_PROTOCOL])
    if (accepted !== undefined) await serveSpdyPortForward(accepted.transport, clock, forward)
    return
  }
  if (webSocketProtocols(upgrade).includes(TUNNEL_PROTOCOL)) {
    const accepted = acceptWebSocket(upgrade, [TUNNEL_PROTOCOL])
    if (accepted === undefined) return
    await serveSpdyPortForward(webSocketStream(accepted.webSocket), clock, forward)
    return
  }
  const ports = parsePorts(upgrade.request.url)
  if (typeof ports === 'string') return rejectUpgrade(upgrade, { code: 400, text: ports })
  const accepted = acceptWebSocket(upgrade, CHANNEL_PROTOCOLS)
  if (accepted === undefined) return
  const base64 = accepted.protocol.includes('base64')
  await serveChannelPortForward(accepted.webSocket, { base64, ports, clock }, forward)
}
