/** The folder for temporary files of one worker. It identifies the processes that the worker has started. */
import { chmodSync, existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { isAlive, thisProcess } from '#machine/host'

export interface WorkerFolder {
  readonly path: string
  /** Kills the processes that use it, and removes it. The worker itself must have ended. */
  remove(): void
}

const PREFIX = 'remedium-worker-'
/** Captures the PID namespace, process ID and start time of the process that started the worker. */
const NAME = /^remedium-worker-(\d+)-(\d+)-(\d+)-\w+$/

/** Agents that run as another user can reach their own folder inside it, but cannot list it. */
const TRAVERSABLE = 0o711

const namespaceNumber = (namespace: string): string => namespace.replace(/\D/g, '') || '0'

/** Empty on systems other than Linux, on which workers start no processes of their own. */
const listOtherPids = (): number[] =>
  (existsSync('/proc') ? readdirSync('/proc') : [])
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => pid !== process.pid)

const environmentOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    // It has ended, or belongs to another user.
    return ''
  }
}

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has already ended.
  }
}

const removeFolder = (path: string): void => rmSync(path, { recursive: true, force: true, maxRetries: 3 })

/** Called inside a worker whose parent is gone and cannot remove the folder. */
export const removeOwnFolder = (): void => {
  const path = tmpdir()
  if (basename(path).startsWith(PREFIX)) removeFolder(path)
}

export const createWorkerFolder = (): WorkerFolder => {
  const { pid, startTime, pidNamespace } = thisProcess()
  const owner = [namespaceNumber(pidNamespace), pid, startTime].join('-')
  const path = mkdtempSync(join(tmpdir(), `${PREFIX}${owner}-`))
  chmodSync(path, TRAVERSABLE)
  return {
    path,
    remove() {
      for (const other of listOtherPids()) if (environmentOf(other).includes(path)) kill(other)
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

/** Folders of other users are kept: the environments of the processes that use them cannot be read. */
const belongsToThisUser = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.()

/** Removes folders whose worker and parent have both been killed; returns their number. */
export const sweepWorkerFolders = (): number => {
  const orphans = readdirSync(tmpdir())
    .filter(isOwnerDead)
    .map((name) => join(tmpdir(), name))
    .filter(belongsToThisUser)
  if (orphans.length === 0) return 0
  const environments = listOtherPids().map(environmentOf)
  // A worker that outlives its parent removes its own folder.
  const unused = orphans.filter(
    (path) => !environments.some((text) => text.split('\0').includes(`TMPDIR=${path}`)),
  )
  for (const path of unused) removeFolder(path)
  return unused.length
}
