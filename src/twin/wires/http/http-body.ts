/** The bodies of HTTP messages: bytes to values by their content type, and values to bytes. */
import { CallFailure } from '../../ports/index.ts'

/** Above this a message is refused, as servers of the originals do. */
export const MOST_BODY_BYTES = 16 * 1024 * 1024

/** All bytes of a message. Rejects when it breaks off or is too large. */
export const readBody = (message: NodeJS.ReadableStream): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    let bytes = 0
    let ended = false
    message.on('data', (part: Buffer) => {
      bytes += part.length
      if (bytes > MOST_BODY_BYTES) reject(new CallFailure('answer', 'the body is too large', 413))
      else parts.push(part)
    })
    message.on('end', () => {
      ended = true
      resolve(parts.length === 1 ? parts[0]! : Buffer.concat(parts))
    })
    message.on('error', reject)
    // Of a message that ended before its time there is no `end`, and not always an error.
    message.on('close', () => {
      if (!ended) reject(new CallFailure('reset', 'the connection broke before the message was whole'))
    })
  })

const toFields = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text))

/** Null where there are no bytes. Throws a CallFailure with status 400 where JSON was promised and is none. */
export const parseBody = (bytes: Buffer, contentType: string | undefined): unknown => {
  if (bytes.length === 0) return null
  const text = bytes.toString('utf8')
  const type = contentType ?? ''
  if (type.includes('json')) {
    try {
      return JSON.parse(text)
    } catch (error) {
      throw new CallFailure('answer', `JSON parse error: ${(error as Error).message}`, 400)
    }
  }
  return type.startsWith('application/x-www-form-urlencoded') ? toFields(text) : text
}

/** What goes over the wire for a value, and what it is called there. Text is sent in one piece with the headers. */
export const toBody = (value: unknown): { content: string; type: string } =>
  typeof value === 'string'
    ? {
        content: value,
        type: looksLikePage(value) ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8',
      }
    : { content: JSON.stringify(value ?? null), type: 'application/json' }

const looksLikePage = (text: string): boolean => /^\s*<(!doctype|html)/i.test(text)
