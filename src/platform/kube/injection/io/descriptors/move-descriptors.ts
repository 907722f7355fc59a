/**
 * The program that moves the open files of a container's processes from a volume to the mount over it, or back when
 * the mount is removed. It is a separate process because it blocks until those processes are stopped, and they may be
 * waiting for the server of the volume. Memory-mapped files are not moved.
 */
import { closeSync, openSync, readlinkSync } from 'node:fs'
import {
  checked,
  createTracedProcess,
  fileCalls,
  isAtOrBelow,
  libc,
  MNT_DETACH,
  readMounts,
  type TracedProcess,
} from '#machine/linux'
import type { MoveTask } from './move-task.ts'
import { isFileOrFolder, type OpenFile, openFilesOf, processesIn, workingFolderOf } from './open-files.ts'
import { reopenFiles } from './reopen-files.ts'

const CLONE_FS = 0x200
const CLONE_NEWNS = 0x2_0000
const DELETED_SUFFIX = ' (deleted)'

const task: MoveTask = JSON.parse(process.argv[2] ?? '{}')
const isUnmounting = task.direction === 'off-mount'

const unmountInNamespaceOf = (pid: number): void => {
  const topMount = readMounts(`/proc/${pid}/mountinfo`).findLast(
    ({ mountPoint }) => mountPoint === task.mountPoint,
  )
  if (topMount?.source !== task.source) return
  const ownNamespace = openSync('/proc/self/ns/mnt', 'r')
  const namespace = openSync(`/proc/${pid}/ns/mnt`, 'r')
  if (readlinkSync(`/proc/self/fd/${namespace}`) !== task.mountNamespace)
    throw new Error(`process ${pid} has ended`)
  checked('unshare', libc.unshare(CLONE_FS))
  checked('setns', libc.setns(namespace, CLONE_NEWNS))
  try {
    fileCalls.unmount(Buffer.from(task.mountPoint), MNT_DETACH)
  } finally {
    checked('setns', libc.setns(ownNamespace, CLONE_NEWNS))
  }
  closeSync(ownNamespace)
  closeSync(namespace)
}

/** Detaches the mount; files that are still open on it stay usable. */
const detach = (): void => {
  for (const pid of processesIn(task.mountNamespace))
    try {
      unmountInNamespaceOf(pid)
      return
    } catch (error) {
      // If the process has ended, tries the next process of the container.
      if (processesIn(task.mountNamespace).includes(pid)) throw error
    }
}

/** Returns the path at which a file must be reopened; undefined if it need not move or has been deleted. */
const destinationPath = ({ path, mountId }: { path: string; mountId: number }): string | undefined => {
  const mountPoint = Buffer.from(task.mountPoint).toString('latin1')
  if (path.endsWith(DELETED_SUFFIX) || (mountId === task.mountId) !== isUnmounting) return undefined
  // Paths on a detached mount are relative to its root.
  if (isUnmounting) return path === '/' ? mountPoint : `${mountPoint === '/' ? '' : mountPoint}${path}`
  return isAtOrBelow(path, mountPoint) ? path : undefined
}

const movableFiles = (pid: number): { file: OpenFile; path: string }[] =>
  openFilesOf(pid).flatMap((file) => {
    const path = destinationPath(file)
    return path !== undefined && isFileOrFolder(pid, file) ? [{ file, path }] : []
  })

const newWorkingFolder = (pid: number): string | undefined => {
  const folder = workingFolderOf(pid)
  return folder === undefined ? undefined : destinationPath(folder)
}

const isAffected = (pid: number): boolean =>
  newWorkingFolder(pid) !== undefined || movableFiles(pid).length > 0

const reportError = (pid: number, error: unknown): void => {
  process.stderr.write(`process ${pid}: ${(error as Error).message}\n`)
}

const stop = (pid: number): TracedProcess[] => {
  try {
    return [createTracedProcess(pid)]
  } catch (error) {
    // The process has ended or cannot be stopped. The files of the other processes are still moved.
    reportError(pid, error)
    return []
  }
}

/** Stops all affected processes. Repeats until no new ones appear, because running processes may fork. */
const stopAll = (): TracedProcess[] => {
  const known = new Set<number>()
  const stopped: TracedProcess[] = []
  for (;;) {
    const newPids = processesIn(task.mountNamespace).filter((pid) => !known.has(pid) && isAffected(pid))
    if (newPids.length === 0) return stopped
    for (const pid of newPids) {
      known.add(pid)
      stopped.push(...stop(pid))
    }
  }
}

const moveWorkingFolder = ({ pid, call }: TracedProcess): void => {
  const path = newWorkingFolder(pid)
  if (path !== undefined) call('chdir', path)
}

if (isUnmounting) detach()
const stopped = stopAll()
try {
  for (const traced of stopped) moveWorkingFolder(traced)
  reopenFiles(stopped.flatMap((traced) => movableFiles(traced.pid).map((move) => ({ traced, ...move }))))
} finally {
  for (const traced of stopped)
    try {
      traced.resume()
    } catch (error) {
      reportError(traced.pid, error)
    }
}
