/** Accepts an upgrade to SPDY/3.1 and negotiates a stream protocol; rejects with the kubelet's errors. */
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { rejectUpgrade, streamProtocols, type Upgrade } from '../upgrade.ts'

const VERSION_HEADER = 'X-Stream-Protocol-Version'

/** Returns the connection and the protocol, or undefined if the request is rejected. */
export const acceptSpdy = (
  upgrade: Upgrade,
  supported: readonly string[],
): { transport: Duplex; protocol: string } | undefined => {
  const { request, socket, head } = upgrade
  const offered = streamProtocols(upgrade)
  if (offered.length === 0) {
    return reject(upgrade, 400, `unable to upgrade: ${VERSION_HEADER} is required`)
  }
  const protocol = offered.find((name) => supported.includes(name))
  if (protocol === undefined) {
    rejectUpgrade(upgrade, {
      code: 403,
      text: `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(' ')}], server accepts [${supported.join(' ')}]`,
      headers: supported.map((name) => ['X-Accepted-Stream-Protocol-Versions', name]),
    })
    return undefined
  }
  if (!(request.headers.upgrade ?? '').toLowerCase().includes('spdy/3.1')) {
    return reject(upgrade, 400, 'unable to upgrade: missing upgrade headers in request')
  }
  if (socket instanceof Socket) socket.setNoDelay(true).setTimeout(0)
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n${VERSION_HEADER}: ${protocol}\r\n\r\n`,
  )
  if (head.length > 0) socket.unshift(head)
  return { transport: socket, protocol }
}

const reject = (upgrade: Upgrade, code: number, text: string): undefined => {
  rejectUpgrade(upgrade, { code, text })
  return undefined
}
