/** Sends plain HTTP requests to a cluster, without a client library that changes requests or answers. */
import { request } from 'node:https'
import type { ListeningCluster } from '#platform/kube'

export interface Answer {
  code: number
  headers: Record<string, string | string[] | undefined>
  /** Parsed if it is JSON. */
  body: any
}

/** Sends bodies other than text as JSON, and uses the administrator's token unless a header sets another. */
export type Requester = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>

export const createRequester = ({
  url,
  token,
  certificateAuthority: ca,
}: Pick<ListeningCluster, 'url' | 'token' | 'certificateAuthority'>): Requester => {
  const parse = (text: string, type: string | undefined): unknown =>
    type?.startsWith('application/json') ? JSON.parse(text) : text

  return (method, path, body, headers = {}) =>
    new Promise((resolve, reject) => {
      const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
      const call = request(
        new URL(path, url),
        {
          method,
          ca,
          headers: {
            authorization: `Bearer ${token}`,
            accept: 'application/json',
            ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString()
            resolve({
              code: response.statusCode!,
              headers: response.headers,
              body: parse(text, response.headers['content-type']),
            })
          })
        },
      )
      call.on('error', reject)
      call.end(payload)
    })
}
