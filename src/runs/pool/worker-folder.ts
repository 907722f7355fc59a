/** The folder for temporary files of one worker, by which everything is found that it has started and left. */
import { chmodSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { isAlive, thisProcess } from '../../linux/index.ts'

export interface WorkerFolder {
  readonly path: string
  /** Kills what still works in it, and removes it. The worker itself must have ended. */
  remove(): void
}

const PREFIX = 'remedium-worker-'
/** Namespace of processes, process and its start: of whoever started the worker. */
const NAME = /^remedium-worker-(\d+)-(\d+)-(\d+)-\w+$/

/** Agents that run as somebody else have their own folder in it; everything else there is for its owner alone. */
const PASSED_BY_ALL = 0o711

const namespaceNumber = (namespace: string): string => namespace.replace(/\D/g, '')

const processes = (): number[] =>
  readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => pid !== process.pid)

const environmentOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    // It has ended, or is nobody's business of ours.
    return ''
  }
}

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

const removeFolder = (path: string): void => rmSync(path, { recursive: true, force: true, maxRetries: 3 })

/** Inside a worker whose parent is gone, and cannot remove its folder any more. */
export const removeOwnFolder = (): void => {
  const own = tmpdir()
  if (basename(own).startsWith(PREFIX)) removeFolder(own)
}

export const createWorkerFolder = (): WorkerFolder => {
  const { pid, startTime, pidNamespace } = thisProcess()
  const owner = [namespaceNumber(pidNamespace), pid, startTime].join('-')
  const path = mkdtempSync(join(tmpdir(), `${PREFIX}${owner}-`))
  chmodSync(path, PASSED_BY_ALL)
  return {
    path,
    remove() {
      for (const one of processes()) if (environmentOf(one).includes(path)) kill(one)
      removeFolder(path)
    },
  }
}

const isOwnerDead = (name: string): boolean => {
  const [, namespace, pid, startTime] = NAME.exec(name) ?? []
  if (namespace === undefined) return false
  const { bootId, pidNamespace } = thisProcess()
  if (namespace !== namespaceNumber(pidNamespace)) return false
  return !isAlive({ pid: Number(pid), startTime: Number(startTime), bootId, pidNamespace })
}

/** Who works in those of other users cannot be seen. */
const isOwn = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.()

/** Removes what is left where both the worker and whoever started it were killed; gives how many there were. */
export const sweepWorkerFolders = (): number => {
  const dead = readdirSync(tmpdir())
    .filter(isOwnerDead)
    .map((name) => join(tmpdir(), name))
    .filter(isOwn)
  if (dead.length === 0) return 0
  const environments = processes().map(environmentOf)
  // A worker that lives on without its parent clears away by itself.
  const left = dead.filter(
    (path) => !environments.some((text) => text.split('\0').includes(`TMPDIR=${path}`)),
  )
  for (const path of left) removeFolder(path)
  return left.length
}
