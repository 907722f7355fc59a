/** Forwards bytes between a client and a process with back-pressure. */
import type { Readable, Writable } from 'node:stream'

/** Resolves when the stream is closed, or immediately if it already is. */
export const waitForClose = (stream: Readable): Promise<void> =>
  new Promise((resolve) => {
    if (stream.closed || stream.destroyed) resolve()
    else stream.once('close', resolve)
  })

/** Resolves when `from` is closed. Discards the output if there is no target or the target has closed. */
export const forwardOutput = async (from: Readable, to: Writable | undefined): Promise<void> => {
  from.on('error', () => {})
  if (to === undefined || to.destroyed) {
    from.resume()
    return waitForClose(from)
  }
  const discard = (): void => {
    from.unpipe(to)
    from.resume()
  }
  to.once('close', discard)
  to.on('error', discard)
  from.pipe(to, { end: false })
  await waitForClose(from)
  to.off('close', discard)
  to.off('error', discard)
}

export interface InputOptions {
  /** Whether the process's input ends with the client's; true by default. */
  end?: boolean
}

/** Starts forwarding input; the returned function stops it without closing the process's input. */
export const forwardInput = (
  from: Readable | undefined,
  to: Writable | undefined,
  { end = true }: InputOptions = {},
): (() => void) => {
  if (from === undefined) return () => {}
  if (to === undefined || to.destroyed) {
    from.resume()
    return () => {}
  }
  // The process has closed its input: the rest is discarded.
  const discard = (): void => {
    from.unpipe(to)
    from.resume()
  }
  const onClientError = (): void => {
    from.unpipe(to)
    if (end) to.end()
  }
  to.on('error', discard)
  to.once('close', discard)
  from.once('error', onClientError)
  from.pipe(to, { end })
  return () => {
    to.off('close', discard)
    from.off('error', onClientError)
    from.unpipe(to)
    to.off('error', discard)
  }
}
