/** Carries bytes between a client and a process, at the pace of the slower one. */
import type { Readable, Writable } from 'node:stream'

/** Resolves when the stream is over. A pipe whose end has come may be so before anybody listens. */
export const closed = (stream: Readable): Promise<void> =>
  new Promise((resolve) => {
    if (stream.closed || stream.destroyed) resolve()
    else stream.once('close', resolve)
  })

/** Resolves when all of `from` is handed on. What nobody wants, or nobody takes any more, is thrown away. */
export const carryOutput = async (from: Readable, to: Writable | undefined): Promise<void> => {
  from.on('error', () => {})
  if (to === undefined || to.destroyed) {
    from.resume()
    return closed(from)
  }
  const discard = (): void => {
    from.unpipe(to)
    from.resume()
  }
  to.once('close', discard)
  to.on('error', discard)
  from.pipe(to, { end: false })
  await closed(from)
  to.off('close', discard)
  to.off('error', discard)
}

export interface InputOptions {
  /** Whether the end of the client's input is the end of the process's. */
  end?: boolean
}

/** Begins; the result ends it and leaves the process's input as it is. */
export const carryInput = (
  from: Readable | undefined,
  to: Writable | undefined,
  { end = true }: InputOptions = {},
): (() => void) => {
  if (from === undefined) return () => {}
  if (to === undefined || to.destroyed) {
    from.resume()
    return () => {}
  }
  // A process that has closed its input does not want the rest.
  const discard = (): void => {
    from.unpipe(to)
    from.resume()
  }
  const broken = (): void => {
    from.unpipe(to)
    if (end) to.end()
  }
  to.on('error', discard)
  to.once('close', discard)
  from.once('error', broken)
  from.pipe(to, { end })
  return () => {
    to.off('close', discard)
    from.off('error', broken)
    from.unpipe(to)
    to.off('error', discard)
  }
}
