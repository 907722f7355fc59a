/** The messages between a forked process and its supervisor: one line of JSON each. */

export type ToFork =
  /** Forks a process, which connects with this number and continues with the order. */
  | { readonly kind: 'fork'; readonly number: number; readonly order: unknown }
  /** Kills a child of the process. Also reaps children that have ended. */
  | { readonly kind: 'end'; readonly pid: number }
  | { readonly kind: 'message'; readonly message: unknown }

export type FromFork =
  | { readonly kind: 'hello'; readonly number: number; readonly pid: number }
  | { readonly kind: 'fork-failed'; readonly number: number; readonly reason: string }
  | { readonly kind: 'message'; readonly message: unknown }

/** The number of the first process. */
export const ROOT_NUMBER = 0

/** Returns a function that receives chunks of text, and calls `onMessage` for each complete line. */
export const createMessageReader = <M>(onMessage: (message: M) => void): ((chunk: Buffer) => void) => {
  let rest: Buffer[] = []
  return (chunk) => {
    let from = 0
    for (let to = chunk.indexOf(10); to >= 0; to = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...rest, chunk.subarray(from, to)])
      rest = []
      from = to + 1
      onMessage(JSON.parse(line.toString('utf8')) as M)
    }
    if (from < chunk.length) rest.push(Buffer.from(chunk.subarray(from)))
  }
}
