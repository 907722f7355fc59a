/** Takes the URL of a request apart. */

export interface RequestUrl {
  /** Decoded as a whole before anybody splits it: an encoded slash is a slash, as on the real server. */
  path: string
  query: URLSearchParams
}

/** Undefined where the path is encoded wrongly. */
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
