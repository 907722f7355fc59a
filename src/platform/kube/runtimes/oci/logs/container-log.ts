/** Writes the log of one run of a container to rotated files. */
import { buffer } from 'node:stream/consumers'
import type { Clock } from '#kit'
import type { ContainerLog } from '../containers/container-instance.ts'
import { createLineEncoder } from './line-encoder.ts'
import { createLogFiles, type LogLimits } from './log-files.ts'
import { createLogReader } from './log-reader.ts'

/** The defaults of the kubelet. */
const DEFAULT_LIMITS: LogLimits = { fileBytes: 10 * 2 ** 20, files: 5 }

export interface ContainerLogOptions {
  /** Created if it does not exist. */
  folder: string
  clock: Clock
  limits?: LogLimits
}

/**
 * Writes synchronously into the page cache, so that a fast writer does not fill the memory and readers get everything
 * that was added.
 */
export const createContainerLog = ({
  folder,
  clock,
  limits = DEFAULT_LIMITS,
}: ContainerLogOptions): ContainerLog => {
  const files = createLogFiles(folder, limits)
  const encoder = createLineEncoder(() => clock.now())
  const listeners = new Set<() => void>()
  let ended = false

  const notify = (): void => {
    const current = [...listeners]
    listeners.clear()
    for (const listener of current) listener()
  }

  const append = (lines: Buffer): void => {
    if (lines.length === 0) return
    try {
      files.append(lines)
    } catch {
      // A full disk or a removed folder loses log lines but does not stop the container.
    }
    notify()
  }

  const source = {
    files: () => files.list(),
    hasEnded: () => ended,
    onChange(listener: () => void) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }

  const log: ContainerLog = {
    add(stream, chunk) {
      if (!ended) append(encoder.encode(stream, chunk))
    },
    async end() {
      if (ended) return
      append(encoder.flush())
      ended = true
      files.close()
      notify()
    },
    read: (options) => createLogReader(source, options, clock),
    async tail({ bytes, lines }) {
      const tailOptions = { previous: false, follow: false, timestamps: false, tailLines: lines }
      const text = await buffer(log.read(tailOptions))
      return text.subarray(Math.max(0, text.length - bytes)).toString('utf8')
    },
    sizeBytes: () => files.list().reduce((sum, file) => sum + file.bytes, 0),
  }
  return log
}
