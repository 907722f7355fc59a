/** The file with a line for each request, in the pod's volume for logs. */
import type { ProgramFile, ProgramFiles } from '#spec'

const PATH = '/var/log/mysql/requests.log'
const MAX_BYTES = 1 << 20

export class RequestFile {
  readonly #files: ProgramFiles
  #file: ProgramFile | undefined
  #size = 0

  constructor(files: ProgramFiles) {
    this.#files = files
  }

  /** Drops a line that cannot be written. */
  async write(line: string): Promise<void> {
    try {
      if (this.#file === undefined) {
        this.#file = await this.#files.open(PATH, 'append')
        this.#size = this.#files.statusOf(PATH)?.bytes ?? 0
      }
      if (this.#size > MAX_BYTES) {
        await this.#file.truncate(0)
        this.#size = 0
      }
      this.#size += await this.#file.write(Buffer.from(`${line}\n`), this.#size)
    } catch {
      const file = this.#file
      this.#file = undefined
      await file?.close().catch(() => undefined)
    }
  }
}
