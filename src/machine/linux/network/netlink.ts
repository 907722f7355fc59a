/** Netlink sockets, and the attributes of their messages. */
import { closeSync } from 'node:fs'
import { constants } from 'node:os'
import { checked, libc } from '../libc.ts'
import type { NetworkNamespace } from './network-namespace.ts'

const AF_NETLINK = 16
const SOCK_RAW_CLOEXEC = 3 | 0o2000000
const HEADER = 16
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
  /** Waits for the acknowledgement; throws an error with the errno's name as its code. */
  request(operation: string, type: number, flags: number, body: Buffer): void
  /** Returns the body of the single answer. */
  query(operation: string, type: number, body: Buffer): Buffer
  /** Returns the bodies of all entries of a dump. */
  list(operation: string, type: number, body: Buffer): Buffer[]
  close(): void
}

export const attribute = (type: number, ...content: readonly Buffer[]): Buffer => {
  const data = Buffer.concat(content)
  const whole = Buffer.alloc(4 + ((data.length + 3) & ~3))
  whole.writeUInt16LE(4 + data.length, 0)
  whole.writeUInt16LE(type, 2)
  data.copy(whole, 4)
  return whole
}

/** Parses a sequence of attributes, by type. */
export const readAttributes = (bytes: Buffer): Map<number, Buffer> => {
  const found = new Map<number, Buffer>()
  for (let at = 0; at + 4 <= bytes.length; ) {
    const length = bytes.readUInt16LE(at)
    if (length < 4) break
    found.set(bytes.readUInt16LE(at + 2) & ~NESTED, bytes.subarray(at + 4, at + length))
    at += (length + 3) & ~3
  }
  return found
}

/** The answer is 0 or the negative errno. */
const throwFor = (operation: string, answer: number): void => {
  if (answer === 0) return
  const code =
    Object.entries(constants.errno).find(([, value]) => value === -answer)?.[0] ?? `errno ${-answer}`
  throw Object.assign(new Error(`${operation}: ${code}`), { code, errno: -answer, syscall: 'netlink' })
}

export const openNetlink = (namespace: NetworkNamespace, protocol: number): NetlinkSocket => {
  const fd = namespace.inside(() => checked('socket', libc.socket(AF_NETLINK, SOCK_RAW_CLOEXEC, protocol)))
  const answer = Buffer.alloc(MAX_MESSAGE_BYTES)
  let sequence = 0

  const send = (type: number, flags: number, body: Buffer): void => {
    const header = Buffer.alloc(HEADER)
    header.writeUInt32LE(HEADER + body.length, 0)
    header.writeUInt16LE(type, 4)
    header.writeUInt16LE(FLAG.request | flags, 6)
    sequence += 1
    header.writeUInt32LE(sequence, 8)
    const message = Buffer.concat([header, body])
    checked('send', libc.send(fd, message, message.length, 0))
  }
  /** The messages of one answer. */
  const receive = (): { type: number; body: Buffer }[] => {
    const size = checked('recv', libc.recv(fd, answer, answer.length, 0))
    const messages: { type: number; body: Buffer }[] = []
    for (let at = 0; at + HEADER <= size; ) {
      const length = answer.readUInt32LE(at)
      const body = Buffer.from(answer.subarray(at + HEADER, at + length))
      messages.push({ type: answer.readUInt16LE(at + 4), body })
      at += Math.max(HEADER, (length + 3) & ~3)
    }
    return messages
  }

  return {
    request(operation, type, flags, body) {
      send(type, FLAG.acknowledge | flags, body)
      for (const message of receive())
        if (message.type === ERROR) throwFor(operation, message.body.readInt32LE(0))
    },
    query(operation, type, body) {
      send(type, 0, body)
      const [message] = receive()
      if (message === undefined) throw new Error(`${operation}: no answer`)
      if (message.type === ERROR) throwFor(operation, message.body.readInt32LE(0))
      return message.body
    },
    list(operation, type, body) {
      send(type, FLAG.dump, body)
      const bodies: Buffer[] = []
      for (;;) {
        for (const message of receive()) {
          if (message.type === DONE) return bodies
          if (message.type === ERROR) throwFor(operation, message.body.readInt32LE(0))
          else bodies.push(message.body)
        }
      }
    },
    close: () => closeSync(fd),
  }
}
