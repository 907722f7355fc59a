/** The files of one simulated container: its mounts, open files, and faults on them. */
import { posix } from 'node:path'
import type { Clock, Random } from '#kit'
import { corrupt, type IoRule } from '#platform/kube/io-effects'
import type { ProgramFiles } from '#spec'
import { createFileError, type FileCall } from './file-error.ts'
import { createFileFaults, type FaultOutcome, type FileRequest } from './file-faults.ts'
import {
  existsStored,
  listStored,
  makeStoredFolder,
  readStored,
  removeStored,
  removeStoredFolder,
  renameStored,
  statusOfStored,
} from './file-operations.ts'
import { createInodes, type ListedFiles, listFiles } from './list-files.ts'
import { createMountTable, type Mount, type MountTable } from './mount-table.ts'
import type { PerformFileCall } from './open-file.ts'
import { createOpenFiles } from './open-files.ts'

export interface ContainerFilesOptions {
  readonly clock: Clock
  /** Decides which requests a fault affects. */
  readonly random: Random
  /** One of them is the root of the container, `/`. */
  readonly mounts: readonly Mount[]
}

export interface ContainerFiles extends ProgramFiles {
  /** Throws if the folder does not exist, or another fault overlaps with it. Returns a function that removes the fault. */
  addFault(rule: IoRule): () => void
  /** All files that the container can change. */
  listAll(): ListedFiles
  /** The former paths, in order, of files that are open and were deleted or replaced. */
  listUnlinked(): readonly string[]
  /** Bytes that the program has written to disks. */
  writtenBytes(): number
  /** Closes the open files. Pending promises, and promises of later calls, never settle. */
  close(): void
}

/** The requests that look up a path. They are repeated for each call, because the kernel caches no names of a folder with faults. */
const lookUp = (path: string): FileRequest[] => {
  const resolved = posix.resolve('/', path)
  const requests: FileRequest[] = []
  for (let end = resolved.indexOf('/', 1); end !== -1; end = resolved.indexOf('/', end + 1))
    requests.push({ method: 'lookup', paths: [resolved.slice(0, end)] })
  return [...requests, { method: 'lookup', paths: [resolved] }]
}

const requestsOn = (method: string, ...paths: readonly string[]): FileRequest[] => [
  ...paths.flatMap(lookUp),
  { method, paths: paths.map((path) => posix.resolve('/', path)) },
]

/** Runs calls with the faults on their requests. After `close`, no promise settles. */
const createCalls = (clock: Clock, random: Random) => {
  const faults = createFileFaults(clock, random)
  let isClosed = false

  const finish = <T>(call: FileCall, outcome: FaultOutcome, action: (outcome: FaultOutcome) => T): T => {
    if (outcome.errno !== undefined) throw createFileError(outcome.errno, call)
    return action(outcome)
  }
  const perform: PerformFileCall = (call, requests, action) =>
    new Promise((resolve, reject) => {
      if (isClosed) return
      faults.pass(faults.isActive ? requests() : [], (outcome) => {
        try {
          resolve(finish(call, outcome, action))
        } catch (error) {
          reject(error)
        }
      })
    })

  return {
    perform,
    /** For synchronous calls: faults that delay requests have no effect. */
    performAtOnce: <T>(
      call: FileCall,
      requests: () => readonly FileRequest[],
      action: (outcome: FaultOutcome) => T,
    ): T => finish(call, faults.outcomeOf(faults.isActive ? requests() : []), action),
    addFault: faults.add,
    close() {
      isClosed = true
      faults.close()
    },
  }
}

/** The calls on folders, and on the entry at a path. */
const createFolderCalls = (
  { locate, mountPointsIn }: Omit<MountTable, 'mounts'>,
  { perform, performAtOnce }: Pick<ReturnType<typeof createCalls>, 'perform' | 'performAtOnce'>,
): Pick<ProgramFiles, 'statusOf' | 'list' | 'removeFolder'> => {
  const isMountPoint = (path: string): boolean =>
    mountPointsIn(posix.dirname(posix.resolve('/', path))).includes(posix.basename(path))
  return {
    statusOf(path) {
      try {
        const call = { name: 'stat', path }
        return performAtOnce(
          call,
          () => requestsOn('getattr', path),
          () => statusOfStored(locate(path)),
        )
      } catch {
        return undefined
      }
    },
    list(path) {
      const call = { name: 'scandir', path }
      return performAtOnce(
        call,
        () => requestsOn('opendir', path),
        () => [...new Set([...listStored(locate(path), call), ...mountPointsIn(path)])].sort(),
      )
    },
    removeFolder(path) {
      const call = { name: 'rmdir', path }
      return perform(
        call,
        () => requestsOn('rmdir', path),
        () => {
          if (isMountPoint(path)) throw createFileError('EBUSY', call)
          if (mountPointsIn(path).length > 0) throw createFileError('ENOTEMPTY', call)
          removeStoredFolder(locate(path), call)
        },
      )
    },
  }
}

export const createContainerFiles = ({ clock, random, mounts }: ContainerFilesOptions): ContainerFiles => {
  const { locate, mountPointsIn, mounts: table } = createMountTable(mounts)
  const { perform, performAtOnce, ...calls } = createCalls(clock, random)
  const openFiles = createOpenFiles(random, perform)
  const inodeOf = createInodes()

  const exists = (path: string): boolean => existsStored(locate(path))
  const read = (path: string, call: FileCall, { mistakes }: FaultOutcome): Uint8Array => {
    const content = readStored(locate(path), call)
    for (const mistake of mistakes) corrupt(content, mistake, random)
    return content
  }

  return {
    exists(path) {
      try {
        return performAtOnce(
          { name: 'access', path },
          () => lookUp(path),
          () => exists(path),
        )
      } catch {
        return false
      }
    },
    read(path) {
      const call = { name: 'open', path }
      const requests = () => [
        ...requestsOn('open', path),
        { method: 'read', paths: [posix.resolve('/', path)] },
      ]
      return performAtOnce(call, requests, (outcome) => read(path, call, outcome))
    },
    makeFolder(path) {
      const call = { name: 'mkdir', path }
      const requests = () => (exists(path) ? lookUp(path) : requestsOn('mkdir', path))
      performAtOnce(call, requests, () => makeStoredFolder(locate(path), call))
    },
    open(path, mode) {
      const call = { name: 'open', path }
      const requests = () => requestsOn(exists(path) || mode === 'update' ? 'open' : 'create', path)
      return perform(call, requests, () => openFiles.open(locate(path), mode, call))
    },
    rename(from, to) {
      const call = { name: 'rename', path: from, target: to }
      return perform(
        call,
        () => requestsOn('rename', from, to),
        () => renameStored(locate(from), locate(to), call),
      )
    },
    remove(path) {
      const call = { name: 'unlink', path }
      return perform(
        call,
        () => requestsOn('unlink', path),
        () => removeStored(locate(path), call),
      )
    },
    ...createFolderCalls({ locate, mountPointsIn }, { perform, performAtOnce }),
    addFault(rule) {
      const { mount, path } = locate(rule.volumePath)
      if (!mount.volume.folders.has(path)) {
        const code = mount.volume.files.has(path) ? 'ENOTDIR' : 'ENOENT'
        throw createFileError(code, { name: 'chdir', path: '/', target: rule.volumePath })
      }
      return calls.addFault(rule)
    },
    listAll: () => listFiles(table, inodeOf),
    listUnlinked: openFiles.unlinked,
    writtenBytes: openFiles.writtenBytes,
    close() {
      calls.close()
      openFiles.close()
    },
  }
}
