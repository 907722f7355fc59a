/** What a pod takes of the node's disk. */
import type { Dirent } from 'node:fs'
import { lstat, readdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { DiskUsage } from '../../ports/index.ts'
import type { ContainerInstance } from './container-instance.ts'

/** The kernel counts in blocks of this, whatever the filesystem's are. */
const BLOCK_BYTES = 512

/** Ours to measure, but theirs to change: whatever vanishes meanwhile takes no room. */
const orNothing = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work
  } catch {
    return undefined
  }
}

const namesIn = async (folder: string): Promise<Dirent[]> =>
  (await orNothing(readdir(folder, { withFileTypes: true }))) ?? []

/** Bytes below a folder, itself included. Links count by themselves; a file of several names counts once. */
export const measureFolder = async (folder: string, seen = new Set<string>()): Promise<number> => {
  let bytes = 0
  for (const entry of await namesIn(folder)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      bytes += await measureFolder(path, seen)
      continue
    }
    const found = await orNothing(lstat(path))
    if (found === undefined) continue
    if (found.nlink > 1) {
      const identity = `${found.dev}:${found.ino}`
      if (seen.has(identity)) continue
      seen.add(identity)
    }
    bytes += found.blocks * BLOCK_BYTES
  }
  const own = await orNothing(lstat(folder))
  return bytes + (own?.blocks ?? 0) * BLOCK_BYTES
}

const measureFolders = async (folders: readonly string[]): Promise<number> => {
  let bytes = 0
  for (const folder of folders) bytes += await measureFolder(folder)
  return bytes
}

/** Where the volumes of a pod lie, by name. */
export interface VolumeFolders {
  readonly emptyDirs: ReadonlyMap<string, string>
  /** Those that outlive the pod. */
  readonly lasting: ReadonlyMap<string, string>
}

const measureAll = async (folders: ReadonlyMap<string, string>): Promise<Record<string, number>> => {
  const sizes: Record<string, number> = {}
  for (const [name, folder] of folders) sizes[name] = await measureFolder(folder)
  return sizes
}

/** `disk` is a folder on the disk that all share. */
export const measureDisk = async (
  instances: readonly ContainerInstance[],
  { emptyDirs, lasting }: VolumeFolders,
  disk: string,
): Promise<DiskUsage> => {
  const containers: Record<string, number> = {}
  for (const { container, writableFolders, log } of instances)
    containers[container.name] = (await measureFolders(writableFolders)) + log.sizeBytes()
  const { bavail, bsize } = await statfs(disk)
  return {
    volumes: await measureAll(emptyDirs),
    containers,
    lasting: await measureAll(lasting),
    availableBytes: bavail * bsize,
  }
}
