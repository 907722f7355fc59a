/** Parses the URL of wget and curl. */
import type { PodProgramCall } from '../pod-program.ts'

export interface Address {
  readonly host: string
  readonly port: number
  readonly target: string
  readonly url: string
}

export const parseUrl = (call: PodProgramCall, text: string): Address => {
  if (/^(?:https|ftp):/.test(text)) call.refuse()
  const url = /^\w+:\/\//.test(text) ? text : `http://${text}`
  try {
    const { hostname, port, pathname, search } = new URL(url)
    return {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || 80),
      target: pathname + search,
      url,
    }
  } catch {
    return call.refuse()
  }
}
