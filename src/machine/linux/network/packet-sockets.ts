/** Receives queued packets of a network namespace through one socket, and sends packets through another. */
import { closeSync } from 'node:fs'
import { checked, libc } from '../libc.ts'
import { openNetworkNamespace } from './network-namespace.ts'

const AF_INET = 2
const AF_NETLINK = 16
const SOCK_RAW = 3
const SOCK_CLOEXEC = 0o2000000
const NETLINK_NETFILTER = 12
/** Raw packets that include their IP header. */
const IPPROTO_RAW = 255
const SOL_SOCKET = 1
const SO_SNDBUFFORCE = 32
const SO_RCVBUFFORCE = 33
const SO_MARK = 36
const SOL_NETLINK = 270
/** Packets that exceed the buffer are lost without an error. */
const NETLINK_NO_ENOBUFS = 5
const MSG_DONTWAIT = 0x40
const BUFFER_BYTES = 32 << 20

const setOption = (fd: number, level: number, name: number, value: number): void => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  checked('setsockopt', libc.setsockopt(fd, level, name, bytes, bytes.length))
}

export interface PacketSockets {
  /** The netlink socket of packets queued by `NFQUEUE` rules. */
  readonly queueFd: number
  /** Reads one message into `buffer`; undefined if there is none and `wait` is false. */
  receive(buffer: Buffer, wait: boolean): Buffer | undefined
  /** Sends netlink messages to the kernel. */
  sendMessages(messages: Uint8Array): void
  /** Sends an IPv4 packet that fits the MTU. The packet is lost if the buffer is full. */
  send(packet: Buffer): void
  close(): void
}

/** The sockets keep the namespace alive: close them before the pod is removed. */
const openSockets = (namespacePath: string): { queueFd: number; rawFd: number } => {
  const namespace = openNetworkNamespace(namespacePath)
  try {
    return namespace.inside(() => {
      const queueFd = checked('socket', libc.socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER))
      try {
        return {
          queueFd,
          rawFd: checked('socket', libc.socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW)),
        }
      } catch (error) {
        closeSync(queueFd)
        throw error
      }
    })
  } finally {
    namespace.close()
  }
}

/** `mark` is set on sent packets, so that rules can match them. */
export const createPacketSockets = (namespacePath: string, mark: number): PacketSockets => {
  const { queueFd, rawFd } = openSockets(namespacePath)
  const close = (): void => {
    closeSync(queueFd)
    closeSync(rawFd)
  }
  try {
    setOption(queueFd, SOL_SOCKET, SO_RCVBUFFORCE, BUFFER_BYTES)
    setOption(queueFd, SOL_NETLINK, NETLINK_NO_ENOBUFS, 1)
    setOption(rawFd, SOL_SOCKET, SO_SNDBUFFORCE, BUFFER_BYTES)
    setOption(rawFd, SOL_SOCKET, SO_MARK, mark)
  } catch (error) {
    close()
    throw error
  }
  // A `sockaddr_in`; only the address changes.
  const address = Buffer.alloc(16)
  address.writeUInt16LE(AF_INET, 0)
  return {
    queueFd,
    receive(buffer, wait) {
      const length = libc.recv(queueFd, buffer, buffer.length, wait ? 0 : MSG_DONTWAIT)
      return length > 0 ? buffer.subarray(0, length) : undefined
    },
    sendMessages: (messages) => {
      checked('send', libc.send(queueFd, messages, messages.length, 0))
    },
    send(packet) {
      packet.copy(address, 4, 16, 20)
      libc.sendto(rawFd, packet, packet.length, MSG_DONTWAIT, address, address.length)
    },
    close,
  }
}
