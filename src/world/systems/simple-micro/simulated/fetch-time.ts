/** The request from hello-service to time-service. */
import type { HttpRequestContent, HttpResponseContent, ProgramHost } from '#spec'
import type { PythonService } from './read-python-file.ts'
import type { TraceContext } from './service-telemetry.ts'

type Caller = Extract<PythonService, { readonly kind: 'hello-service' }>

const OK = 200

const createTimeout = (): Error => Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' })

/** The timeout applies to the connection and the answer separately, as to each operation of a socket. */
const withTimeout = async <T>(
  { time }: ProgramHost,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const abort = new AbortController()
  const cancel = time.after(ms, () => abort.abort(createTimeout()))
  try {
    return await work(abort.signal)
  } finally {
    cancel()
  }
}

const parseTime = (body: string): string => {
  let answer: unknown
  try {
    answer = JSON.parse(body)
  } catch {
    throw new Error('Expecting value: line 1 column 1 (char 0)')
  }
  const { time } = (answer ?? {}) as { time?: string }
  if (time === undefined) throw new Error("'time'")
  return time
}

/** Sends one request on a new connection. */
export const fetchTime = async (
  host: ProgramHost,
  { peer, timeoutMs }: Caller,
  { traceId, spanId }: TraceContext,
): Promise<string> => {
  // The resolver of Python has no timeout.
  const [address = peer.host] = await host.network.lookup(peer.host)
  const connection = await withTimeout(host, timeoutMs, (signal) =>
    host.network.connect(address, peer.port, signal),
  )
  try {
    const content: HttpRequestContent = {
      method: 'GET',
      target: '/time',
      headers: { host: `${peer.host}:${peer.port}`, traceparent: `00-${traceId}-${spanId}-01` },
    }
    const answer = await withTimeout(host, timeoutMs, (signal) => {
      const stopped = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      })
      return Promise.race([connection.exchange({ content, bytes: 140 }), stopped])
    })
    const { status, body } = answer.content as HttpResponseContent
    if (status !== OK) throw new Error(`HTTP Error ${status}`)
    return parseTime(body)
  } finally {
    connection.close()
  }
}
