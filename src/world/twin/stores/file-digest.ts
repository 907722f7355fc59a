/** A running digest of the bytes that a store has written to a file, which shows whether another program has changed the file. */
import type { Hash } from 'node:crypto'
import type { ProgramFiles } from '#spec'

/** Loaded on demand, because clients import the stores but not their files. */
const createHash = (): Hash => process.getBuiltinModule('node:crypto').createHash('sha256')

export class FileDigest {
  readonly #hash = createHash()

  /** Starts with the content of the file. */
  constructor(content: Uint8Array = new Uint8Array()) {
    this.#hash.update(content)
  }

  add(bytes: Uint8Array): void {
    this.#hash.update(bytes)
  }

  /** Whether the file has exactly the bytes of the digest, in its first `size` bytes if there is a size. */
  matches(files: Pick<ProgramFiles, 'read'>, path: string, size?: number): boolean {
    let content: Uint8Array
    try {
      content = files.read(path)
    } catch {
      return false
    }
    const found = createHash().update(content.subarray(0, size)).digest()
    return found.equals(this.#hash.copy().digest())
  }
}
