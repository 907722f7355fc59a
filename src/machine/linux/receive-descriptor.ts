/** Receives a descriptor that another process sends over a Unix socket. */
import koffi from 'koffi'
import { lazily } from '#kit'
import { checked } from './libc.ts'

const MSG_CMSG_CLOEXEC = 0x4000_0000
const SOL_SOCKET = 1
const SCM_RIGHTS = 1
/** The length, level and type of a control message, before the descriptor. */
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

/** Throws EAGAIN if no message has arrived on a non-blocking socket. */
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
    throw new Error('the peer has sent a message without a descriptor')
  return control.readInt32LE(HEADER_BYTES)
}
