/** Asks a backend for JSON over HTTP. */
import { RemediumError } from '../../spec/index.ts'

const LIMIT_MS = 30_000

export type Parameters = Readonly<Record<string, string | number | undefined>>

/** Nothing where the backend has no such thing. Rejects where it does not answer, or not with JSON. */
export type GetJson = (path: string, parameters?: Parameters) => Promise<any>

export const createGetJson = (backend: string, base: string): GetJson => {
  const root = base.replace(/\/+$/, '')
  return async (path, parameters = {}) => {
    const url = new URL(root + path)
    for (const [name, value] of Object.entries(parameters))
      if (value !== undefined) url.searchParams.append(name, String(value))
    const fail = (why: string, cause?: unknown): RemediumError =>
      new RemediumError('tool-failed', `${backend} at ${root} ${why}.`, { cause })
    let answer: Response
    let text: string
    try {
      answer = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) })
      text = await answer.text()
    } catch (cause) {
      throw fail('does not answer', cause)
    }
    if (answer.status === 404) return undefined
    if (!answer.ok) throw fail(`answered with status ${answer.status}: ${text.slice(0, 200)}`)
    try {
      return JSON.parse(text)
    } catch (cause) {
      throw fail('answered something that is no JSON', cause)
    }
  }
}
