/**
 * The root filesystem of a container: layers of its own over those of the node and the host's system folders. All
 * mounts are made in the container's own mount namespace; the host has none of them.
 */
import { mkdirSync } from 'node:fs'
import { release } from 'node:os'
import { join } from 'node:path'
import { etcMounts, type OciMount, PROGRAM_FOLDER, type SystemLayers } from '../../../oci/index.ts'

export interface RootFilesystem {
  /** The folder on which it is mounted. */
  path: string
  mounts: readonly OciMount[]
  /** The folders of the host that hold what the container writes. */
  writableFolders: readonly string[]
  /** To be made read-only once all is mounted: until then mount points may have to be made in them. */
  readOnlyPaths: readonly string[]
}

/** Nobody mounts an upper layer twice, so that nothing needs to be on the disk when the container ends. */
const volatileOption = (): string[] => {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return major > 5 || (major === 5 && minor >= 10) ? ['volatile'] : []
}

/** `folder` is where it may be made, and holds nothing yet. */
export const makeRootFilesystem = (
  folder: string,
  system: SystemLayers,
  { readOnly, bare }: { readOnly: boolean; bare: boolean },
): RootFilesystem => {
  const writableFolders: string[] = []
  // Devices are those of /dev alone.
  const common = ['nodev', ...volatileOption()]
  const overlay = (destination: string, name: string, lower: string): OciMount => {
    const upper = join(folder, name)
    const work = join(folder, `${name}-work`)
    for (const path of [upper, work]) mkdirSync(path)
    writableFolders.push(upper)
    const layers = [`lowerdir=${lower}`, `upperdir=${upper}`, `workdir=${work}`]
    return { destination, type: 'overlay', source: 'overlay', options: [...layers, ...common] }
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
