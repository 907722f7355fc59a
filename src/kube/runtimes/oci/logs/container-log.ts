/** The log of one run of a container: files in a folder of its own, written as output comes. */
import { buffer } from 'node:stream/consumers'
import type { Clock } from '../../../../kit/index.ts'
import type { ContainerLog } from '../container-instance.ts'
import { createLineEncoder } from './line-encoder.ts'
import { createLogFiles, type LogLimits } from './log-files.ts'
import { createLogReader } from './log-reader.ts'

/** What a kubelet keeps where nobody says otherwise. */
const DEFAULT_LIMITS: LogLimits = { fileBytes: 10 * 2 ** 20, files: 5 }

export interface ContainerLogOptions {
  /** Made where it is not there. */
  folder: string
  clock: Clock
  limits?: LogLimits
}

/**
 * Written in the same call, into the page cache: so nothing piles up in memory however fast a container writes,
 * and whoever reads sees all that was added.
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

  const tell = (): void => {
    const told = [...listeners]
    listeners.clear()
    for (const listener of told) listener()
  }

  const append = (lines: Buffer): void => {
    if (lines.length === 0) return
    try {
      files.append(lines)
    } catch {
      // A full disk, or a folder that is gone, costs lines of the log and not the container.
    }
    tell()
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
      tell()
    },
    read: (options) => createLogReader(source, options, clock),
    async tail({ bytes, lines }) {
      const last = { previous: false, follow: false, timestamps: false, tailLines: lines }
      const text = await buffer(log.read(last))
      return text.subarray(Math.max(0, text.length - bytes)).toString('utf8')
    },
    sizeBytes: () => files.list().reduce((sum, file) => sum + file.bytes, 0),
  }
  return log
}
