/** Opens IPv4 sockets in another network namespace. */

import { createSocket, type Socket as DatagramSocket } from 'node:dgram'
import { closeSync } from 'node:fs'
import { Socket } from 'node:net'
import { defined } from '#kit'
import { checked, libc } from '../libc.ts'
import type { NetworkNamespace } from './network-namespace.ts'

const AF_INET = 2
const SOCK_STREAM = 1
const SOCK_DGRAM = 2
const SOCK_CLOEXEC = 0o2000000
const SOL_SOCKET = 1
const SO_REUSEADDR = 2
const BACKLOG = 511

/** A `sockaddr_in`. */
const toAddress = (host: string, port: number): Uint8Array => {
  const address = Buffer.alloc(16)
  address.writeUInt16LE(AF_INET, 0)
  address.writeUInt16BE(port, 2)
  for (const [index, part] of host.split('.').entries()) address[4 + index] = Number(part)
  return address
}

/** Opens a socket in the namespace; closes it if `prepare` throws. */
const openInside = (namespace: NetworkNamespace, type: number, prepare: (fd: number) => void): number => {
  const fd = namespace.inside(() => checked('socket', libc.socket(AF_INET, type | SOCK_CLOEXEC, 0)))
  try {
    prepare(fd)
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

const bindTo = (fd: number, host: string, port: number): void => {
  const enabled = Buffer.from([1, 0, 0, 0])
  checked('setsockopt', libc.setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, enabled, enabled.length))
  const address = toAddress(host, port)
  checked('bind', libc.bind(fd, address, address.length))
}

/** Opens a listening TCP socket and returns its descriptor for `server.listen({ fd })`. */
export const listenInside = (namespace: NetworkNamespace, host: string, port: number): number =>
  openInside(namespace, SOCK_STREAM, (fd) => {
    bindTo(fd, host, port)
    checked('listen', libc.listen(fd, BACKLOG))
  })

const SOL_IP = 0
const SO_ORIGINAL_DST = 80

/** The destination of an accepted connection before a rule redirected it. */
export const originalDestination = (socket: Socket): { host: string; port: number } => {
  const { fd } = (socket as unknown as { readonly _handle: { readonly fd: number } })._handle
  const address = Buffer.alloc(16)
  const length = Buffer.from([address.length, 0, 0, 0])
  checked('getsockopt', libc.getsockopt(fd, SOL_IP, SO_ORIGINAL_DST, address, length))
  return { host: address.subarray(4, 8).join('.'), port: address.readUInt16BE(2) }
}

/** Opens a TCP connection, optionally from the address `from`. Rejects like `net.connect`, with ECONNREFUSED and so on. */
export const connectInside = (
  namespace: NetworkNamespace,
  host: string,
  port: number,
  { signal, from }: { signal?: AbortSignal; from?: string } = {},
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const fd = openInside(namespace, SOCK_STREAM, () => {})
    const socket = new Socket({ fd, allowHalfOpen: true })
    const abort = (): unknown => socket.destroy(new Error('the connection was aborted'))
    const settle = (): void => {
      socket.off('error', fail)
      signal?.removeEventListener('abort', abort)
    }
    const fail = (error: Error): void => {
      settle()
      reject(error)
    }
    socket.once('error', fail)
    signal?.addEventListener('abort', abort, { once: true })
    if (signal?.aborted === true) {
      abort()
      return
    }
    socket.connect({ port, host, ...defined({ localAddress: from }) }, () => {
      settle()
      resolve(socket)
    })
  })

/** Opens a bound UDP socket. */
export const bindInside = (
  namespace: NetworkNamespace,
  host: string,
  port: number,
): Promise<DatagramSocket> =>
  new Promise((resolve, reject) => {
    const fd = openInside(namespace, SOCK_DGRAM, (socket) => bindTo(socket, host, port))
    const socket = createSocket('udp4')
    socket.once('error', reject)
    socket.bind({ fd }, () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })
