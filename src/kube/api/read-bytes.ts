/** The bytes of a request's body, up to the size that the real server takes. */
import type { IncomingMessage } from 'node:http'
import { ApiError, badRequest } from '../meta/index.ts'

const LIMIT = 3 * 1024 * 1024

/** The connection of such a request cannot be used again: the rest of the body stands in the way. */
export class BodyTooLarge extends ApiError {
  constructor() {
    super(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${LIMIT}`)
  }
}

/** How long the body says it is; one that does not say may be as long as any. */
export const announcedBytes = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : LIMIT

/** Refuses early what announces itself as too long. */
export const readBytes = (request: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > LIMIT) {
      reject(new BodyTooLarge())
      return
    }
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= LIMIT) {
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
