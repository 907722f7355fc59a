/** Measures the disk usage of a pod. */
import type { Dirent } from 'node:fs'
import { lstat, readdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { DiskUsage } from '#platform/kube/ports'
import type { ContainerInstance } from '../containers/container-instance.ts'

/** The unit of `blocks` in stat(2), independent of the filesystem. */
const BLOCK_BYTES = 512

/** Ignores errors, because pods can remove files while they are measured. */
const orUndefined = async <T>(promise: Promise<T>): Promise<T | undefined> => {
  try {
    return await promise
  } catch {
    return undefined
  }
}

const entriesIn = async (folder: string): Promise<Dirent[]> =>
  (await orUndefined(readdir(folder, { withFileTypes: true }))) ?? []

/** The size in bytes of a folder with everything in it. Does not follow symbolic links; counts hard links once. */
export const measureFolder = async (folder: string, seen = new Set<string>()): Promise<number> => {
  let bytes = 0
  for (const entry of await entriesIn(folder)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      bytes += await measureFolder(path, seen)
      continue
    }
    const fileStats = await orUndefined(lstat(path))
    if (fileStats === undefined) continue
    if (fileStats.nlink > 1) {
      const identity = `${fileStats.dev}:${fileStats.ino}`
      if (seen.has(identity)) continue
      seen.add(identity)
    }
    bytes += fileStats.blocks * BLOCK_BYTES
  }
  const stats = await orUndefined(lstat(folder))
  return bytes + (stats?.blocks ?? 0) * BLOCK_BYTES
}

const measureFolders = async (folders: readonly string[]): Promise<number> => {
  let bytes = 0
  for (const folder of folders) bytes += await measureFolder(folder)
  return bytes
}

/** The folders of a pod's volumes, by name. */
export interface VolumeFolders {
  readonly emptyDirs: ReadonlyMap<string, string>
  /** Volumes that outlive the pod. */
  readonly persistent: ReadonlyMap<string, string>
}

const measureAll = async (folders: ReadonlyMap<string, string>): Promise<Record<string, number>> => {
  const sizes: Record<string, number> = {}
  for (const [name, folder] of folders) sizes[name] = await measureFolder(folder)
  return sizes
}

/** `disk` is a folder on the disk whose free space is reported. */
export const measureDisk = async (
  instances: readonly ContainerInstance[],
  { emptyDirs, persistent }: VolumeFolders,
  disk: string,
): Promise<DiskUsage> => {
  const containers: Record<string, number> = {}
  for (const { container, writableFolders, log } of instances)
    containers[container.name] = (await measureFolders(writableFolders)) + log.sizeBytes()
  const { bavail, bsize } = await statfs(disk)
  return {
    volumes: await measureAll(emptyDirs),
    containers,
    persistent: await measureAll(persistent),
    availableBytes: bavail * bsize,
  }
}
