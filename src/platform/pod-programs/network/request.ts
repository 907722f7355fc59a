/** Sends one HTTP request. */
import { defined } from '#kit'
import type { HttpResponseContent, ProgramConnection } from '#spec'
import type { PodProgramCall } from '../pod-program.ts'
import type { Address } from './parse-url.ts'

interface HttpCall {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** None by default. */
  readonly timeoutMs?: number | undefined
}

const HEAD_BYTES = 120

const errorWith = (code: string): Error => Object.assign(new Error(code), { code })

/** Rejects with an error of the network, or ETIMEDOUT. */
export const request = async (
  call: PodProgramCall,
  { host, port, target }: Address,
  { method, headers, body, timeoutMs }: HttpCall,
): Promise<HttpResponseContent> => {
  const { network, time } = call.host
  const abort = new AbortController()
  let connection: ProgramConnection | undefined
  const cancel =
    timeoutMs === undefined
      ? () => {}
      : time.after(timeoutMs, () => {
          abort.abort(errorWith('ETIMEDOUT'))
          connection?.close()
        })
  try {
    connection = await network.connect(host, port, abort.signal)
    const hostHeader = port === 80 ? host : `${host}:${port}`
    const content = {
      method,
      target,
      headers: { host: hostHeader, ...headers },
      ...defined({ body }),
    }
    const answer = await connection.exchange({
      content,
      bytes: HEAD_BYTES + target.length + (body?.length ?? 0),
    })
    const response = answer.content as Partial<HttpResponseContent> | null
    // The other side may not be a web server.
    if (typeof response !== 'object' || response === null || typeof response.status !== 'number')
      throw errorWith('ECONNRESET')
    return response as HttpResponseContent
  } catch (error) {
    throw abort.signal.aborted ? errorWith('ETIMEDOUT') : error
  } finally {
    cancel()
    connection?.close()
  }
}

export const codeOf = (error: unknown): string => {
  const { code } = error as { code?: unknown }
  if (typeof code !== 'string') throw error
  return code
}
