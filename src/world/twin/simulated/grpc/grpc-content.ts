/** gRPC messages between simulated programs. */
import type { GrpcRequestContent, GrpcResponseContent, ProgramMessage } from '#spec'
import type { Headers } from '#world/twin/ports'
import { copyAsJson, type JsonCopy } from '../wire/copy-as-json.ts'

/** The handshake of HTTP/2: both sides send their settings. */
export class GrpcSettings {}

/** The answer to a call that arrived while the server was stopping, and that it did not process. */
export class GrpcRefusal {}

export class GrpcRequest implements GrpcRequestContent {
  readonly rpc: string
  readonly headers: Headers
  readonly message: unknown

  constructor(rpc: string, headers: Headers, message: unknown) {
    this.rpc = rpc
    this.headers = headers
    this.message = message
  }
}

export class GrpcResponse implements GrpcResponseContent {
  readonly code: number
  readonly reason: string
  readonly headers: Headers
  readonly message: unknown

  constructor(code: number, reason: string, headers: Headers, message: unknown) {
    this.code = code
    this.reason = reason
    this.headers = headers
    this.message = message
  }
}

export const SETTINGS_MESSAGE: ProgramMessage = { content: new GrpcSettings(), bytes: 64 }
export const REFUSAL_MESSAGE: ProgramMessage = { content: new GrpcRefusal(), bytes: 13 }

/** Frames, and the headers that HPACK reduces to a few bytes. */
const FRAME_BYTES = 44
const HEADER_BYTES = 2

const headerBytes = (headers: Headers): number => {
  let bytes = FRAME_BYTES
  for (const name in headers) bytes += headers[name]!.length + HEADER_BYTES
  return bytes
}

export const toRequestMessage = (rpc: string, headers: Headers, body: unknown): ProgramMessage => {
  const { value, bytes }: JsonCopy = copyAsJson(body)
  return { content: new GrpcRequest(rpc, headers, value), bytes: headerBytes(headers) + bytes }
}

export const toResponseMessage = (headers: Headers, body: unknown): ProgramMessage => {
  const { value, bytes }: JsonCopy = copyAsJson(body)
  return { content: new GrpcResponse(0, '', headers, value), bytes: headerBytes(headers) + bytes }
}

export const toFailureMessage = (code: number, reason: string): ProgramMessage => ({
  content: new GrpcResponse(code, reason, {}, null),
  bytes: FRAME_BYTES + reason.length,
})

export const isGrpcRequest = (content: unknown): content is GrpcRequestContent =>
  content instanceof GrpcRequest || (typeof content === 'object' && content !== null && 'rpc' in content)
