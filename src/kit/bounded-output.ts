/** The beginning and the end of what a program says, however much it is. */

const KEPT_BYTES = 64 * 2 ** 10

export interface BoundedOutput {
  add(chunk: Buffer): void
  /** What lies between is named by its length. */
  text(): string
}

export const createBoundedOutput = (kept = KEPT_BYTES): BoundedOutput => {
  const first: Buffer[] = []
  let firstBytes = 0
  let last = Buffer.alloc(0)
  let dropped = 0
  return {
    add(chunk) {
      const head = chunk.subarray(0, Math.max(0, kept - firstBytes))
      if (head.length > 0) first.push(head)
      firstBytes += head.length
      const joined = Buffer.concat([last, chunk.subarray(head.length)])
      const over = Math.max(0, joined.length - kept)
      dropped += over
      last = Buffer.from(joined.subarray(over))
    },
    text() {
      const gap = dropped === 0 ? '' : `\n... ${dropped} bytes left out ...\n`
      return Buffer.concat(first).toString() + gap + last.toString()
    },
  }
}
