/** Splits the URL of a request into path and query. */

export interface RequestUrl {
  /** Decoded as a whole before it is split: an encoded slash is a slash, as on a real server. */
  path: string
  query: URLSearchParams
}

/** Returns undefined if the path is not valid percent-encoding. */
export const parseRequestUrl = (url: string): RequestUrl | undefined => {
  const queryStart = url.indexOf('?')
  const path = queryStart < 0 ? url : url.slice(0, queryStart)
  try {
    return {
      path: path.includes('%') ? decodeURIComponent(path) : path,
      query: new URLSearchParams(queryStart < 0 ? '' : url.slice(queryStart + 1)),
    }
  } catch {
    return undefined
  }
}
