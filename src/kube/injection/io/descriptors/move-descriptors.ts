/**
 * The program that moves what the processes of a container have open from a volume to the mount over it, or back
 * again when the mount is taken away. A process of its own, because it waits for the processes it stops, which
 * may wait for the one that serves the volume. Memory maps of files stay where they are.
 */
import { closeSync, constants, openSync } from 'node:fs'
import {
  checked,
  fileCalls,
  libc,
  MNT_DETACH,
  type TracedProcess,
  withTracedProcess,
} from '../../../../linux/index.ts'
import { isBelow, readMounts } from '../mount-table.ts'
import type { MoveTask } from './move-task.ts'
import { type OpenFile, openFilesOf, processesIn, workingFolderOf } from './open-files.ts'

const CLONE_FS = 0x200
const CLONE_NEWNS = 0x2_0000
const AT_FDCWD = -100
const LOCK_NB = 4
/** Processes start others while they are looked through; those that start after these rounds come too late. */
const ROUNDS = 5
const { O_CREAT, O_EXCL, O_NOCTTY, O_TRUNC } = constants
const O_CLOEXEC = 0o2000000
const GONE = ' (deleted)'

const task: MoveTask = JSON.parse(process.argv[2] ?? '{}')
const leaving = task.direction === 'off-mount'

/** Takes the mount away: its folder shows at once, and what is still open on it stays. */
const detach = (pid: number): void => {
  const top = readMounts(`/proc/${pid}/mountinfo`).findLast(
    ({ mountPoint }) => mountPoint === task.mountPoint,
  )
  if (top?.source !== task.source) return
  const home = openSync('/proc/self/ns/mnt', 'r')
  const namespace = openSync(`/proc/${pid}/ns/mnt`, 'r')
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

/** Where a file is to be opened anew; nothing where it stays, or has no name any more. */
const destination = ({ path, mountId }: { path: string; mountId: number }): string | undefined => {
  const mountPoint = Buffer.from(task.mountPoint).toString('latin1')
  if (path.endsWith(GONE) || (mountId === task.mountId) !== leaving) return undefined
  // Files of a mount that has been taken away are told from its own top.
  if (leaving) return path === '/' ? mountPoint : `${mountPoint === '/' ? '' : mountPoint}${path}`
  return isBelow(path, mountPoint) ? path : undefined
}

const reopen = ({ call }: TracedProcess, file: OpenFile, path: string): void => {
  const flags = file.flags & ~(O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC)
  const fresh = call('openat', AT_FDCWD, path, flags, 0)
  if (fresh < 0n) return
  if (file.position > 0n) call('lseek', fresh, file.position, 0)
  call('dup3', fresh, file.fd, flags & O_CLOEXEC)
  call('close', fresh)
  if (file.lock !== 0) call('flock', file.fd, file.lock | LOCK_NB)
}

const isConcerned = (pid: number): boolean =>
  [workingFolderOf(pid), ...openFilesOf(pid)].some(
    (place) => place !== undefined && destination(place) !== undefined,
  )

const move = (pid: number): void =>
  withTracedProcess(pid, (traced) => {
    const folder = workingFolderOf(pid)
    const folderPath = folder === undefined ? undefined : destination(folder)
    if (folderPath !== undefined) traced.call('chdir', folderPath)
    for (const file of openFilesOf(pid)) {
      const path = destination(file)
      if (path !== undefined) reopen(traced, file, path)
    }
  })

const [first] = processesIn(task.mountNamespace)
if (leaving && first !== undefined) detach(first)
const seen = new Set<number>()
for (let round = 0; round < ROUNDS; round += 1) {
  const concerned = processesIn(task.mountNamespace).filter((pid) => !seen.has(pid) && isConcerned(pid))
  if (concerned.length === 0) break
  for (const pid of concerned) {
    seen.add(pid)
    try {
      move(pid)
    } catch (error) {
      // It has ended meanwhile, or cannot be stopped: the others are still to be moved.
      process.stderr.write(`process ${pid}: ${(error as Error).message}\n`)
    }
  }
}
