/** Probes a server with an HTTP GET, as a kubelet does. */
import type { ProbeAction, ProbeResult } from '#platform/kube/ports'
import { dialProbe } from './dial-probe.ts'
import { BrokenBody, type HttpProbeResponse, type ProbeClient } from './probe-client.ts'

type HttpAction = Extract<ProbeAction['action'], { type: 'http' }>

const MAX_REDIRECTS = 10
const REDIRECTS = [301, 302, 303, 307, 308]

/** The messages of Go's HTTP client for a timeout. */
const TIMEOUT = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
const TIMEOUT_IN_BODY =
  'context deadline exceeded (Client.Timeout or context cancellation while reading body)'

/** Sends one request. Rejects with the part of Go's message that follows the URL. */
const get = async <Connection>(
  client: ProbeClient<Connection>,
  url: URL,
  headers: HttpAction['headers'],
  signal: AbortSignal,
): Promise<HttpProbeResponse> => {
  let connection: Connection | undefined
  const close = (): void => {
    if (connection !== undefined) client.close(connection)
  }
  signal.addEventListener('abort', close, { once: true })
  try {
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
    connection = await dialProbe(client, { host: url.hostname, port }, signal)
    return await client.get(connection, url, headers)
  } catch (error) {
    if (!signal.aborted) throw error
    throw error instanceof BrokenBody ? new BrokenBody(TIMEOUT_IN_BODY) : new Error(TIMEOUT)
  } finally {
    signal.removeEventListener('abort', close)
    close()
  }
}

/** The URL in messages, always with the port. */
const toUrlText = ({ scheme, port, path }: HttpAction, host: string): string =>
  `${scheme.toLowerCase()}://${host}:${port}${path.startsWith('/') ? '' : '/'}${path}`

/** Rejects if the response breaks off after its headers. `host` replaces that of the action. */
export const probeHttp = async <Connection>(
  client: ProbeClient<Connection>,
  action: HttpAction,
  host: string,
  signal: AbortSignal,
): Promise<ProbeResult> => {
  let displayedUrl = toUrlText(action, host)
  const firstUrl = new URL(displayedUrl)
  let url = firstUrl
  for (let redirects = 0; redirects < MAX_REDIRECTS; redirects += 1) {
    try {
      const { status, location, body } = await get(client, url, action.headers, signal)
      const next =
        location !== undefined && REDIRECTS.includes(status) && URL.canParse(location, url.href)
          ? new URL(location, url)
          : undefined
      if (next?.hostname !== firstUrl.hostname) {
        // A redirect to another host is not followed and counts as success.
        return status >= 200 && status < 400
          ? { ok: true, output: body }
          : { ok: false, output: `HTTP probe failed with statuscode: ${status}` }
      }
      url = next
      displayedUrl = next.href
    } catch (error) {
      if (error instanceof BrokenBody) throw error
      return { ok: false, output: `Get "${displayedUrl}": ${(error as Error).message}` }
    }
  }
  return { ok: false, output: `Get "${displayedUrl}": stopped after ${MAX_REDIRECTS} redirects` }
}
