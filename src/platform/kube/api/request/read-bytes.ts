/** Reads the body of a request, up to the size limit of a real server. */
import type { IncomingMessage } from 'node:http'
import { ApiError, badRequest } from '#platform/kube/meta'

const MAX_BODY_BYTES = 3 * 1024 * 1024

/** The connection must be closed afterwards, because the rest of the body is still unread. */
export class BodyTooLarge extends ApiError {
  constructor() {
    super(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${MAX_BODY_BYTES}`)
  }
}

/** The declared body length; the maximum for a chunked body, whose length is unknown. */
export const declaredBytes = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : MAX_BODY_BYTES

/** Rejects with BodyTooLarge, before reading if the declared length is over the limit. */
export const readBytes = (request: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
      reject(new BodyTooLarge())
      return
    }
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= MAX_BODY_BYTES) {
        chunks.push(chunk)
        return
      }
      chunks.length = 0
      reject(new BodyTooLarge())
    })
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    request.on('error', () => reject(badRequest('unexpected EOF')))
    request.on('close', () => reject(badRequest('unexpected EOF')))
  })
