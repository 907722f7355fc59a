/** Fetches the metrics of a pod over an existing connection. */
import { request } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '#kit'

const MAX_BYTES = 2 * 2 ** 20

/** Rejects if there is no response with status 200 within the timeout and the size limit. */
export const fetchMetrics = (
  connection: Duplex,
  { path, clock, timeoutMs }: { path: string; clock: Clock; timeoutMs: number },
): Promise<string> =>
  new Promise((resolve, reject) => {
    const timer = clock.after(timeoutMs, () => fail(new Error('no response in time')))
    const close = (): void => {
      timer.cancel()
      connection.destroy()
    }
    const fail = (error: Error): void => {
      close()
      reject(error)
    }
    connection.on('error', fail)
    const outgoing = request(
      {
        path,
        headers: { host: 'pod', connection: 'close' },
        createConnection: () => connection,
      },
      (response) => {
        const chunks: Buffer[] = []
        let bytes = 0
        response.on('error', fail)
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          chunks.push(chunk)
          if (bytes > MAX_BYTES) fail(new Error('the response is too long'))
        })
        response.on('end', () => {
          close()
          if (response.statusCode === 200) resolve(Buffer.concat(chunks).toString('utf8'))
          else reject(new Error(`status ${response.statusCode}`))
        })
      },
    )
    outgoing.on('error', fail)
    outgoing.end()
  })
