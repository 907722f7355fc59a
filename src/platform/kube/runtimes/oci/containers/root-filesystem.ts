/**
 * The root filesystem of a container: writable layers over those of the node and the host's system folders. All
 * mounts are in the container's mount namespace; the host has none of them.
 */
import { mkdirSync } from 'node:fs'
import { release } from 'node:os'
import { join } from 'node:path'
import { etcMounts, type OciMount, PROGRAM_FOLDER, type SystemLayers } from '#machine/oci'

export interface RootFilesystem {
  /** The mount point. */
  path: string
  mounts: readonly OciMount[]
  /** The folders of the host that contain the container's changes. */
  writableFolders: readonly string[]
  /** Remounted read-only last, because mount points may have to be created in them. */
  readOnlyPaths: readonly string[]
}

/** An upper layer is mounted only once, so it need not be synced to disk at the end. */
const volatileOption = (): string[] => {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return major > 5 || (major === 5 && minor >= 10) ? ['volatile'] : []
}

/** Creates the layers in `folder`, which must be empty. */
export const createRootFilesystem = (
  folder: string,
  system: SystemLayers,
  { readOnly, bare }: { readOnly: boolean; bare: boolean },
): RootFilesystem => {
  const writableFolders: string[] = []
  // Device files are only allowed in /dev.
  const sharedOptions = ['nodev', ...volatileOption()]
  const overlay = (destination: string, name: string, lower: string): OciMount => {
    const upper = join(folder, name)
    const work = join(folder, `${name}-work`)
    for (const path of [upper, work]) mkdirSync(path)
    writableFolders.push(upper)
    const layers = [`lowerdir=${lower}`, `upperdir=${upper}`, `workdir=${work}`]
    return { destination, type: 'overlay', source: 'overlay', options: [...layers, ...sharedOptions] }
  }
  const node = { type: 'bind', source: process.execPath, options: ['bind', 'ro', 'rprivate'] }
  const overlays = bare ? [] : system.overlays
  const mounts: OciMount[] = [
    overlay('/', 'root', system.root),
    ...overlays.map(({ name, lower }) => overlay(`/${name}`, name, lower)),
    ...etcMounts(),
    ...(bare ? [] : [{ destination: `${PROGRAM_FOLDER}/bin/node`, ...node }]),
  ]
  const readOnlyPaths = readOnly ? overlays.map(({ name }) => `/${name}`) : []
  return { path: system.empty, mounts, writableFolders, readOnlyPaths }
}
