/** Reads the body of a request, up to the size limit of a real server. */
import type { IncomingMessage } from 'node:http'
import { ApiError, badRequest } from '#platform/kube/meta'

const MAX_BODY_BYTES = 3 * 1024 * 1024

/** The connection must be closed after this error, because the rest of the body is still unread. */
export class UnreadBody extends ApiError {
  constructor({ code, reason, message, details }: ApiError) {
    super(code, reason, message, details)
  }
}

const tooLarge = (): UnreadBody =>
  new UnreadBody(
    new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${MAX_BODY_BYTES}`),
  )

/** The declared body length; 0 for a chunked body, whose bytes are counted as they arrive. */
export const declaredBytes = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : 0

/**
 * Rejects with UnreadBody if the body is too large. If the declared length is over the limit, nothing is read.
 * `onUndeclared` gets the size of each chunk of a body without a declared length. It can throw to stop reading.
 */
export const readBytes = (
  request: IncomingMessage,
  onUndeclared: (bytes: number) => void = () => {},
): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
      reject(tooLarge())
      return
    }
    const isDeclared = request.headers['transfer-encoding'] === undefined
    const chunks: Buffer[] = []
    let size = 0
    const stop = (error: unknown): void => {
      request.off('data', onChunk)
      chunks.length = 0
      reject(error instanceof ApiError ? new UnreadBody(error) : error)
    }
    const onChunk = (chunk: Buffer): void => {
      size += chunk.length
      if (size > MAX_BODY_BYTES) {
        stop(tooLarge())
        return
      }
      chunks.push(chunk)
      if (isDeclared) return
      try {
        onUndeclared(chunk.length)
      } catch (error) {
        stop(error)
      }
    }
    request.on('data', onChunk)
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    request.on('error', () => reject(badRequest('unexpected EOF')))
    request.on('close', () => reject(badRequest('unexpected EOF')))
  })
