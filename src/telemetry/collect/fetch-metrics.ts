/** Asks one pod for its metrics over a connection that somebody else has made. */
import { request } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '../../kit/index.ts'

const MOST_BYTES = 2 * 2 ** 20

/** Rejects where no answer of status 200 comes within the time and the bound. */
export const fetchMetrics = (
  connection: Duplex,
  { path, clock, limitMs }: { path: string; clock: Clock; limitMs: number },
): Promise<string> =>
  new Promise((resolve, reject) => {
    const timer = clock.after(limitMs, () => fail(new Error('no answer in time')))
    const end = (): void => {
      timer.cancel()
      connection.destroy()
    }
    const fail = (error: Error): void => {
      end()
      reject(error)
    }
    connection.on('error', fail)
    const asking = request(
      {
        path,
        headers: { host: 'pod', connection: 'close' },
        createConnection: () => connection,
      },
      (answer) => {
        const chunks: Buffer[] = []
        let bytes = 0
        answer.on('error', fail)
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          chunks.push(chunk)
          if (bytes > MOST_BYTES) fail(new Error('too long an answer'))
        })
        answer.on('end', () => {
          end()
          if (answer.statusCode === 200) resolve(Buffer.concat(chunks).toString('utf8'))
          else reject(new Error(`status ${answer.statusCode}`))
        })
      },
    )
    asking.on('error', fail)
    asking.end()
  })
