/** Sockets of this process that live in another network namespace. IPv4 only, as the clusters are. */
import { createSocket, type Socket as DatagramSocket } from 'node:dgram'
import { closeSync } from 'node:fs'
import { Socket } from 'node:net'
import { checked, libc } from './libc.ts'
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

/** The descriptor of a socket made inside, for which `prepare` may still fail. */
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
  const yes = Buffer.from([1, 0, 0, 0])
  checked('setsockopt', libc.setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, yes, yes.length))
  const address = toAddress(host, port)
  checked('bind', libc.bind(fd, address, address.length))
}

/** A listening TCP socket, as a descriptor for `server.listen({ fd })`. */
export const listenInside = (namespace: NetworkNamespace, host: string, port: number): number =>
  openInside(namespace, SOCK_STREAM, (fd) => {
    bindTo(fd, host, port)
    checked('listen', libc.listen(fd, BACKLOG))
  })

/**
 * A TCP connection that starts inside, at the address `from` where it is given. Rejects as `net.connect` does:
 * ECONNREFUSED, EHOSTUNREACH ...
 */
export const connectInside = (
  namespace: NetworkNamespace,
  host: string,
  port: number,
  { signal, from }: { signal?: AbortSignal; from?: string } = {},
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const fd = openInside(namespace, SOCK_STREAM, () => {})
    const socket = new Socket({ fd, allowHalfOpen: true })
    const abort = (): unknown => socket.destroy(new Error('the connection was given up'))
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
    socket.connect({ port, host, ...(from === undefined ? {} : { localAddress: from }) }, () => {
      settle()
      resolve(socket)
    })
  })

/** A UDP socket bound inside. */
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
