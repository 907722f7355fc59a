/** The folder for temporary files of one worker, by which everything is found that it has started and left. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

export interface WorkerFolder {
  readonly path: string
  /** Kills what still works in it, and removes it. The worker itself must have ended. */
  remove(): void
}

const worksIn = (pid: string, path: string): boolean => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(path)
  } catch {
    // It has ended, or is nobody's business of ours.
    return false
  }
}

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

const PREFIX = 'remedium-worker-'

/** Inside a worker whose parent is gone, and cannot remove its folder any more. */
export const removeOwnFolder = (): void => {
  const own = tmpdir()
  if (basename(own).startsWith(PREFIX)) rmSync(own, { recursive: true, force: true })
}

export const createWorkerFolder = (): WorkerFolder => {
  const path = mkdtempSync(join(tmpdir(), PREFIX))
  return {
    path,
    remove() {
      for (const entry of readdirSync('/proc'))
        if (/^\d+$/.test(entry) && Number(entry) !== process.pid && worksIn(entry, path)) kill(Number(entry))
      rmSync(path, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}
