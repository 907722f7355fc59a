/**
 * The part of HTTP/2 that one health check needs. Node's own module takes longer to load than the check
 * itself, and the probe runs every few seconds in every gRPC pod.
 */

export const FRAME = { data: 0, headers: 1, reset: 3, settings: 4, goAway: 7 } as const

const END_STREAM = 0x1
const END_HEADERS = 0x4
const PADDED = 0x8
const WITH_PRIORITY = 0x20
const ACKNOWLEDGED = 0x1

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

export interface Frame {
  readonly type: number
  readonly flags: number
  readonly stream: number
  readonly payload: Buffer
}

const toFrame = (type: number, flags: number, stream: number, payload: Buffer): Buffer => {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** Encodes a string literal without Huffman coding. */
const toText = (text: string): Buffer => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)])

const toHeaders = (authority: string): Buffer =>
  Buffer.concat([
    Buffer.from([0x83, 0x86]), // :method POST, :scheme http
    Buffer.from([0x04]),
    toText('/grpc.health.v1.Health/Check'),
    Buffer.from([0x01]),
    toText(authority),
    Buffer.from([0x0f, 0x10]), // content-type
    toText('application/grpc'),
    Buffer.from([0x00]),
    toText('te'),
    toText('trailers'),
  ])

/** Encodes the complete request: preface, settings, headers and message. */
export const toHealthRequest = (authority: string, service: string): Buffer => {
  const name = Buffer.from(service)
  const message = name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a, name.length]), name])
  const prefix = Buffer.from([0, 0, 0, 0, message.length])
  return Buffer.concat([
    PREFACE,
    toFrame(FRAME.settings, 0, 0, Buffer.alloc(0)),
    toFrame(FRAME.headers, END_HEADERS, 1, toHeaders(authority)),
    toFrame(FRAME.data, END_STREAM, 1, Buffer.concat([prefix, message])),
  ])
}

export const SETTINGS_ACKNOWLEDGED = toFrame(FRAME.settings, ACKNOWLEDGED, 0, Buffer.alloc(0))

const withoutPadding = (type: number, flags: number, payload: Buffer): Buffer => {
  if (type !== FRAME.data && type !== FRAME.headers) return payload
  const padding = flags & PADDED ? payload[0]! : 0
  const from = (flags & PADDED ? 1 : 0) + (type === FRAME.headers && flags & WITH_PRIORITY ? 5 : 0)
  return payload.subarray(from, payload.length - padding)
}

/** Splits the input into complete frames and the rest. */
export const parseFrames = (
  received: Buffer,
): { readonly frames: readonly Frame[]; readonly rest: Buffer } => {
  const frames: Frame[] = []
  let rest = received
  while (rest.length >= 9) {
    const end = 9 + rest.readUIntBE(0, 3)
    if (rest.length < end) break
    const type = rest[3]!
    const flags = rest[4]!
    const payload = withoutPadding(type, flags, rest.subarray(9, end))
    frames.push({ type, flags, stream: rest.readUInt32BE(5) & 0x7fffffff, payload })
    rest = rest.subarray(end)
  }
  return { frames, rest }
}

/** Whether the frame closes the stream of the check. */
export const isLastFrame = ({ type, flags }: Frame): boolean =>
  type === FRAME.reset || ((type === FRAME.headers || type === FRAME.data) && (flags & END_STREAM) !== 0)
