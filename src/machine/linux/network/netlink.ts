/** Netlink sockets, and the attributes of their messages. */
import { closeSync } from 'node:fs'
import { constants } from 'node:os'
import { checked, libc } from '../libc.ts'
import type { NetworkNamespace } from './network-namespace.ts'

const AF_NETLINK = 16
const SOCK_RAW_CLOEXEC = 3 | 0o2000000
const HEADER_BYTES = 16
/** The default maximum size of one message in the kernel. */
const MAX_MESSAGE_BYTES = 64 * 1024

const ERROR = 2
const DONE = 3

export const NETLINK = { route: 0, netfilter: 12 }
export const FLAG = {
  request: 1,
  acknowledge: 4,
  replace: 0x100,
  exclusive: 0x200,
  create: 0x400,
  dump: 0x300,
}
export const NESTED = 0x8000

export interface NetlinkSocket {
  /** Waits for the acknowledgement. On failure, throws an error with the errno's name as its code. */
  request(operation: string, type: number, flags: number, body: Buffer): void
  /** Returns the body of the single answer. */
  query(operation: string, type: number, body: Buffer): Buffer
  /** Returns the bodies of all entries of a dump. */
  list(operation: string, type: number, body: Buffer): Buffer[]
  close(): void
}

export const attribute = (type: number, ...content: readonly Buffer[]): Buffer => {
  const data = Buffer.concat(content)
  const padded = Buffer.alloc(4 + ((data.length + 3) & ~3))
  padded.writeUInt16LE(4 + data.length, 0)
  padded.writeUInt16LE(type, 2)
  data.copy(padded, 4)
  return padded
}

/** Parses a sequence of attributes, by type. */
export const readAttributes = (bytes: Buffer): Map<number, Buffer> => {
  const found = new Map<number, Buffer>()
  for (let offset = 0; offset + 4 <= bytes.length; ) {
    const length = bytes.readUInt16LE(offset)
    if (length < 4) break
    found.set(bytes.readUInt16LE(offset + 2) & ~NESTED, bytes.subarray(offset + 4, offset + length))
    offset += (length + 3) & ~3
  }
  return found
}

/** `result` is 0 or the negative errno. */
const throwIfFailed = (operation: string, result: number): void => {
  if (result === 0) return
  const code =
    Object.entries(constants.errno).find(([, value]) => value === -result)?.[0] ?? `errno ${-result}`
  throw Object.assign(new Error(`${operation}: ${code}`), { code, errno: -result, syscall: 'netlink' })
}

export const openNetlink = (namespace: NetworkNamespace, protocol: number): NetlinkSocket => {
  const fd = namespace.inside(() => checked('socket', libc.socket(AF_NETLINK, SOCK_RAW_CLOEXEC, protocol)))
  const buffer = Buffer.alloc(MAX_MESSAGE_BYTES)
  let sequence = 0

  const send = (type: number, flags: number, body: Buffer): void => {
    const header = Buffer.alloc(HEADER_BYTES)
    header.writeUInt32LE(HEADER_BYTES + body.length, 0)
    header.writeUInt16LE(type, 4)
    header.writeUInt16LE(FLAG.request | flags, 6)
    sequence += 1
    header.writeUInt32LE(sequence, 8)
    const message = Buffer.concat([header, body])
    checked('send', libc.send(fd, message, message.length, 0))
  }
  /** Receives the messages of one datagram; a dump consists of several. */
  const receive = (): { type: number; body: Buffer }[] => {
    const size = checked('recv', libc.recv(fd, buffer, buffer.length, 0))
    const messages: { type: number; body: Buffer }[] = []
    for (let offset = 0; offset + HEADER_BYTES <= size; ) {
      const length = buffer.readUInt32LE(offset)
      const body = Buffer.from(buffer.subarray(offset + HEADER_BYTES, offset + length))
      messages.push({ type: buffer.readUInt16LE(offset + 4), body })
      offset += Math.max(HEADER_BYTES, (length + 3) & ~3)
    }
    return messages
  }

  return {
    request(operation, type, flags, body) {
      send(type, FLAG.acknowledge | flags, body)
      for (const message of receive())
        if (message.type === ERROR) throwIfFailed(operation, message.body.readInt32LE(0))
    },
    query(operation, type, body) {
      send(type, 0, body)
      const [message] = receive()
      if (message === undefined) throw new Error(`${operation}: no answer`)
      if (message.type === ERROR) throwIfFailed(operation, message.body.readInt32LE(0))
      return message.body
    },
    list(operation, type, body) {
      send(type, FLAG.dump, body)
      const bodies: Buffer[] = []
      for (;;) {
        for (const message of receive()) {
          if (message.type === DONE) return bodies
          if (message.type === ERROR) throwIfFailed(operation, message.body.readInt32LE(0))
          else bodies.push(message.body)
        }
      }
    },
    close: () => closeSync(fd),
  }
}
