/** Encodes and parses the messages of nfnetlink_queue. */

const SUBSYSTEM = 3 << 8
const PACKET = SUBSYSTEM | 0
const VERDICT = SUBSYSTEM | 1
const CONFIG = SUBSYSTEM | 2
const NLMSG_ERROR = 2
const NLM_F_REQUEST = 1
const NLM_F_ACK = 4
const HEADERS_BYTES = 20

const CFG_CMD = 1
const CFG_PARAMS = 2
const CFG_QUEUE_MAXLEN = 3
const CFG_MASK = 4
const CFG_FLAGS = 5
const BIND = 1
const COPY_PACKET = 2
const FLAG_GSO = 4

const ATTRIBUTE_PACKET_HEADER = 1
const ATTRIBUTE_VERDICT = 2
const ATTRIBUTE_PAYLOAD = 10
const ATTRIBUTE_SKB_INFO = 14

export const DROP = 0
export const ACCEPT = 1
export const VERDICT_BYTES = 32

export interface QueuedPacket {
  readonly id: number
  /** The bytes starting at the IP header, possibly truncated; a view of the read buffer. */
  readonly payload: Buffer
  /** Whether the network card must still complete checksums or segments. A copy of such bytes cannot be sent. */
  readonly isUnfinished: boolean
}

export type KernelMessage =
  | { type: 'packet'; packet: QueuedPacket }
  /** Zero means success. */
  | { type: 'answer'; errno: number }

/** Attribute values and the queue number are big-endian; other header fields are little-endian. */
const writeHeaders = (message: Buffer, type: number, flags: number, queue: number): void => {
  message.writeUInt32LE(message.length, 0)
  message.writeUInt16LE(type, 4)
  message.writeUInt16LE(flags, 6)
  message.writeUInt16BE(queue, 18)
}

const encodeAttribute = (type: number, value: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 + Math.ceil(value.length / 4) * 4)
  bytes.writeUInt16LE(4 + value.length, 0)
  bytes.writeUInt16LE(type, 2)
  bytes.set(value, 4)
  return bytes
}

const toBigEndian = (value: number): number[] => [
  value >>> 24,
  (value >>> 16) & 255,
  (value >>> 8) & 255,
  value & 255,
]

export interface QueueSettings {
  /** Binds the socket to the queue, and asks the kernel for an acknowledgement. */
  bind: boolean
  /** The number of bytes copied from each packet. */
  copyRange: number
  /** The maximum number of packets that wait for a verdict. */
  maxLength: number
  /** Receives large segments before the kernel splits them and computes their checksums. */
  unsegmented: boolean
}

export const toConfiguration = (queue: number, settings: QueueSettings): Buffer => {
  const message = Buffer.concat([
    Buffer.alloc(HEADERS_BYTES),
    ...(settings.bind ? [encodeAttribute(CFG_CMD, [BIND, 0, 0, 0])] : []),
    encodeAttribute(CFG_PARAMS, [...toBigEndian(settings.copyRange), COPY_PACKET]),
    encodeAttribute(CFG_QUEUE_MAXLEN, toBigEndian(settings.maxLength)),
    encodeAttribute(CFG_FLAGS, toBigEndian(settings.unsegmented ? FLAG_GSO : 0)),
    encodeAttribute(CFG_MASK, toBigEndian(FLAG_GSO)),
  ])
  writeHeaders(message, CONFIG, settings.bind ? NLM_F_REQUEST | NLM_F_ACK : NLM_F_REQUEST, queue)
  return message
}

/** Writes a verdict into `message`, which has VERDICT_BYTES bytes. Several verdicts can be sent together. */
export const writeVerdict = (message: Buffer, queue: number, packetId: number, verdict: number): void => {
  writeHeaders(message, VERDICT, NLM_F_REQUEST, queue)
  message.writeUInt16LE(12, HEADERS_BYTES)
  message.writeUInt16LE(ATTRIBUTE_VERDICT, HEADERS_BYTES + 2)
  message.writeUInt32BE(verdict, HEADERS_BYTES + 4)
  message.writeUInt32BE(packetId, HEADERS_BYTES + 8)
}

const parsePacket = (message: Buffer): QueuedPacket | undefined => {
  let id: number | undefined
  let payload: Buffer | undefined
  let isUnfinished = false
  for (let offset = HEADERS_BYTES; offset + 4 <= message.length; ) {
    const length = message.readUInt16LE(offset)
    const type = message.readUInt16LE(offset + 2) & 0x3fff
    if (length < 4) return undefined
    if (type === ATTRIBUTE_PACKET_HEADER) id = message.readUInt32BE(offset + 4)
    else if (type === ATTRIBUTE_PAYLOAD) payload = message.subarray(offset + 4, offset + length)
    else if (type === ATTRIBUTE_SKB_INFO) isUnfinished = (message.readUInt32BE(offset + 4) & 3) !== 0
    offset += (length + 3) & ~3
  }
  return id === undefined || payload === undefined ? undefined : { id, payload, isUnfinished }
}

/** Parses one datagram of the kernel; returns undefined for other message types. */
export const parseMessage = (bytes: Buffer): KernelMessage | undefined => {
  if (bytes.length < HEADERS_BYTES) return undefined
  const type = bytes.readUInt16LE(4)
  if (type === NLMSG_ERROR) return { type: 'answer', errno: -bytes.readInt32LE(16) }
  if (type !== PACKET) return undefined
  const packet = parsePacket(bytes.subarray(0, bytes.readUInt32LE(0)))
  return packet && { type: 'packet', packet }
}
