/** Fetches JSON from a backend over HTTP. */
import { RemediumError } from '#spec'

const TIMEOUT_MS = 30_000

export type Parameters = Readonly<Record<string, string | number | undefined>>

/** Returns undefined for status 404. Rejects if the backend does not respond, fails, or does not send JSON. */
export type GetJson = (path: string, parameters?: Parameters) => Promise<any>

export const createGetJson = (backend: string, base: string): GetJson => {
  const root = base.replace(/\/+$/, '')
  return async (path, parameters = {}) => {
    const url = new URL(root + path)
    for (const [name, value] of Object.entries(parameters))
      if (value !== undefined) url.searchParams.append(name, String(value))
    const toError = (reason: string, cause?: unknown): RemediumError =>
      new RemediumError('tool-failed', `${backend} at ${root} ${reason}.`, { cause })
    let response: Response
    let text: string
    try {
      response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
      text = await response.text()
    } catch (cause) {
      throw toError('does not respond', cause)
    }
    if (response.status === 404) return undefined
    if (!response.ok) throw toError(`responded with status ${response.status}: ${text.slice(0, 200)}`)
    try {
      return JSON.parse(text)
    } catch (cause) {
      throw toError('sent a response that is not JSON', cause)
    }
  }
}
