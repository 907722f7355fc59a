/** Takes a descriptor that another process has sent over a Unix socket. */
import koffi from 'koffi'
import { lazily } from '../kit/index.ts'
import { checked } from './libc.ts'

const MSG_CMSG_CLOEXEC = 0x4000_0000
const SOL_SOCKET = 1
const SCM_RIGHTS = 1
/** A control message: its length, level and type, then the descriptor. */
const HEADER_BYTES = 16

interface Message {
  name: null
  nameLength: number
  parts: { base: Uint8Array; length: number }
  partCount: number
  control: Uint8Array
  controlLength: number
  flags: number
}

const recvmsg = lazily(() => {
  const part = koffi.struct({ base: 'void*', length: 'size_t' })
  const message = koffi.struct({
    name: 'void*',
    nameLength: 'uint32',
    parts: koffi.pointer(part),
    partCount: 'size_t',
    control: 'void*',
    controlLength: 'size_t',
    flags: 'int',
  })
  return koffi.load(null).func('recvmsg', 'long', ['int', koffi.inout(koffi.pointer(message)), 'int']) as (
    fd: number,
    message: Message,
    flags: number,
  ) => number
})

/** Throws EAGAIN where the socket does not block and nothing has come yet. */
export const receiveDescriptor = (socket: number): number => {
  const text = new Uint8Array(4096)
  const control = Buffer.alloc(64)
  const message: Message = {
    name: null,
    nameLength: 0,
    parts: { base: text, length: text.length },
    partCount: 1,
    control,
    controlLength: control.length,
    flags: 0,
  }
  checked('recvmsg', recvmsg()(socket, message, MSG_CMSG_CLOEXEC))
  if (
    message.controlLength < HEADER_BYTES + 4 ||
    control.readInt32LE(8) !== SOL_SOCKET ||
    control.readInt32LE(12) !== SCM_RIGHTS
  )
    throw new Error('the other side of the socket has sent no descriptor')
  return control.readInt32LE(HEADER_BYTES)
}
