/** Parses and encodes the bodies of HTTP messages by content type. */
import { CallFailure } from '#world/twin/ports'

/** Larger bodies are rejected, as in the originals. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024

/** Reads all bytes of a message. Rejects if it is truncated or too large. */
export const readBody = (message: NodeJS.ReadableStream): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    let bytes = 0
    let ended = false
    message.on('data', (part: Buffer) => {
      bytes += part.length
      if (bytes > MAX_BODY_BYTES) reject(new CallFailure('answer', 'the body is too large', 413))
      else parts.push(part)
    })
    message.on('end', () => {
      ended = true
      resolve(parts.length === 1 ? parts[0]! : Buffer.concat(parts))
    })
    message.on('error', reject)
    // A truncated message emits no `end`, and not always an error.
    message.on('close', () => {
      if (!ended) reject(new CallFailure('reset', 'the connection closed before the message was complete'))
    })
  })

const parseForm = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text))

/** Throws a CallFailure with status 400 for malformed JSON. */
export const parseText = (text: string, contentType: string | undefined): unknown => {
  const type = contentType ?? ''
  if (type.includes('json')) {
    try {
      return JSON.parse(text)
    } catch (error) {
      throw new CallFailure('answer', `JSON parse error: ${(error as Error).message}`, 400)
    }
  }
  return type.startsWith('application/x-www-form-urlencoded') ? parseForm(text) : text
}

/** Returns null if there is no body. Throws a CallFailure with status 400 for malformed JSON. */
export const parseBody = (bytes: Buffer, contentType: string | undefined): unknown =>
  bytes.length === 0 ? null : parseText(bytes.toString('utf8'), contentType)

const isHtmlPage = (text: string): boolean => /^\s*<(!doctype|html)/i.test(text)

/** The content type of a body: text is sent unchanged, other values as JSON. */
export const bodyTypeOf = (value: unknown): string => {
  if (typeof value !== 'string') return 'application/json'
  return isHtmlPage(value) ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8'
}

/** Encodes a value as text, which Node sends in one piece with the headers, and returns its content type. */
export const toBody = (value: unknown): { content: string; type: string } => ({
  content: typeof value === 'string' ? value : JSON.stringify(value ?? null),
  type: bodyTypeOf(value),
})
