/**
 * The program that moves what the processes of a container have open from a volume to the mount over it, or back
 * again when the mount is taken away. A process of its own, because it waits for the processes it stops, which
 * may wait for the one that serves the volume. Memory maps of files stay where they are.
 */
import { closeSync, openSync, readlinkSync } from 'node:fs'
import {
  checked,
  createTracedProcess,
  fileCalls,
  isBelow,
  libc,
  MNT_DETACH,
  readMounts,
  type TracedProcess,
} from '../../../../linux/index.ts'
import { moveOpenings } from './move-openings.ts'
import type { MoveTask } from './move-task.ts'
import { isPlain, type OpenFile, openFilesOf, processesIn, workingFolderOf } from './open-files.ts'

const CLONE_FS = 0x200
const CLONE_NEWNS = 0x2_0000
const GONE = ' (deleted)'

const task: MoveTask = JSON.parse(process.argv[2] ?? '{}')
const leaving = task.direction === 'off-mount'

const unmountFor = (pid: number): void => {
  const top = readMounts(`/proc/${pid}/mountinfo`).findLast(
    ({ mountPoint }) => mountPoint === task.mountPoint,
  )
  if (top?.source !== task.source) return
  const home = openSync('/proc/self/ns/mnt', 'r')
  const namespace = openSync(`/proc/${pid}/ns/mnt`, 'r')
  if (readlinkSync(`/proc/self/fd/${namespace}`) !== task.mountNamespace)
    throw new Error(`process ${pid} has ended`)
  checked('unshare', libc.unshare(CLONE_FS))
  checked('setns', libc.setns(namespace, CLONE_NEWNS))
  try {
    fileCalls.unmount(Buffer.from(task.mountPoint), MNT_DETACH)
  } finally {
    checked('setns', libc.setns(home, CLONE_NEWNS))
  }
  closeSync(home)
  closeSync(namespace)
}

/** Takes the mount away: its folder shows at once, and what is still open on it stays. */
const detach = (): void => {
  for (const pid of processesIn(task.mountNamespace))
    try {
      unmountFor(pid)
      return
    } catch (error) {
      // Any process of the container shows the way in, but this one has ended meanwhile.
      if (processesIn(task.mountNamespace).includes(pid)) throw error
    }
}

/** Where a file is to be opened anew; nothing where it stays, or has no name any more. */
const destination = ({ path, mountId }: { path: string; mountId: number }): string | undefined => {
  const mountPoint = Buffer.from(task.mountPoint).toString('latin1')
  if (path.endsWith(GONE) || (mountId === task.mountId) !== leaving) return undefined
  // Files of a mount that has been taken away are told from its own top.
  if (leaving) return path === '/' ? mountPoint : `${mountPoint === '/' ? '' : mountPoint}${path}`
  return isBelow(path, mountPoint) ? path : undefined
}

const movableFiles = (pid: number): { file: OpenFile; path: string }[] =>
  openFilesOf(pid).flatMap((file) => {
    const path = destination(file)
    return path !== undefined && isPlain(pid, file) ? [{ file, path }] : []
  })

const folderPath = (pid: number): string | undefined => {
  const folder = workingFolderOf(pid)
  return folder === undefined ? undefined : destination(folder)
}

const isConcerned = (pid: number): boolean => folderPath(pid) !== undefined || movableFiles(pid).length > 0

const complain = (pid: number, error: unknown): void => {
  process.stderr.write(`process ${pid}: ${(error as Error).message}\n`)
}

const stop = (pid: number): TracedProcess[] => {
  try {
    return [createTracedProcess(pid)]
  } catch (error) {
    // It has ended meanwhile, or cannot be stopped: the others are still to be moved.
    complain(pid, error)
    return []
  }
}

/** Stops all that are concerned. A process that is stopped starts no other, so that an end is reached. */
const stopAll = (): TracedProcess[] => {
  const seen = new Set<number>()
  const stopped: TracedProcess[] = []
  for (;;) {
    const fresh = processesIn(task.mountNamespace).filter((pid) => !seen.has(pid) && isConcerned(pid))
    if (fresh.length === 0) return stopped
    for (const pid of fresh) {
      seen.add(pid)
      stopped.push(...stop(pid))
    }
  }
}

const enterFolder = ({ pid, call }: TracedProcess): void => {
  const path = folderPath(pid)
  if (path !== undefined) call('chdir', path)
}

if (leaving) detach()
const stopped = stopAll()
try {
  for (const traced of stopped) enterFolder(traced)
  moveOpenings(stopped.flatMap((traced) => movableFiles(traced.pid).map((move) => ({ traced, ...move }))))
} finally {
  for (const traced of stopped)
    try {
      traced.resume()
    } catch (error) {
      complain(traced.pid, error)
    }
}
