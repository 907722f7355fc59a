/** Splits the URL of a request into path and query. */

export interface RequestUrl {
  /** Decoded as a whole before it is split: an encoded slash is a slash, as on a real server. */
  path: string
  query: URLSearchParams
}

/** Returns undefined if the path is not valid percent-encoding. */
export const parseRequestUrl = (url: string): RequestUrl | undefined => {
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  try {
    return {
      path: path.includes('%') ? decodeURIComponent(path) : path,
      query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)),
    }
  } catch {
    return undefined
  }
}
