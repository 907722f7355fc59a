/** Keeps the beginning and the end of a program's output and drops the middle. */

const MAX_BYTES_PER_END = 64 * 2 ** 10

export interface BoundedOutput {
  add(chunk: Buffer): void
  /** Replaces the dropped middle with its length in bytes. */
  text(): string
}

export const createBoundedOutput = (bytesPerEnd = MAX_BYTES_PER_END): BoundedOutput => {
  const first: Buffer[] = []
  let firstBytes = 0
  let last = Buffer.alloc(0)
  let droppedBytes = 0
  return {
    add(chunk) {
      const head = chunk.subarray(0, Math.max(0, bytesPerEnd - firstBytes))
      if (head.length > 0) first.push(head)
      firstBytes += head.length
      const joined = Buffer.concat([last, chunk.subarray(head.length)])
      const excessBytes = Math.max(0, joined.length - bytesPerEnd)
      droppedBytes += excessBytes
      last = Buffer.from(joined.subarray(excessBytes))
    },
    text() {
      const gap = droppedBytes === 0 ? '' : `\n... ${droppedBytes} bytes left out ...\n`
      return Buffer.concat(first).toString() + gap + last.toString()
    },
  }
}
