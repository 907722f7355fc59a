/** The status of a gRPC call: its codes, and the encoding of its message. */

export const GRPC_CODE = {
  ok: 0,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const

/** Trailers hold printable ASCII only; other characters and the percent sign are percent-encoded. */
export const encodeStatusMessage = (message: string): string =>
  Array.from(Buffer.from(message), (byte) =>
    byte >= 0x20 && byte <= 0x7e && byte !== 0x25
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('')

export const decodeStatusMessage = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
