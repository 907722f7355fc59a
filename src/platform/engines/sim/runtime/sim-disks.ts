/** The storage of a simulated cluster that outlives pods: the volumes of claims, and the disks of nodes. */
import {
  copyVolume,
  createVolume,
  isSameVolume,
  restoreVolume,
  usedBytesOf,
  type Volume,
  type VolumeCopy,
} from '#platform/engines/sim/hosts'

export interface SimDisks {
  /** The volume at the path of a PersistentVolume; created on first use. */
  claim(path: string): Volume
  /** Bytes in the volume at the path of a PersistentVolume; 0 if no pod has mounted it. */
  claimBytes(path: string): number
  /** The disk of a node, which contains its hostPath volumes. */
  node(name: string): Volume
  /** Deletes the volume at the path of a PersistentVolume. */
  remove(path: string): void
  /** Copies all contents. */
  copy(): DiskCopies
}

export interface DiskCopies {
  /** The paths of claims whose content has changed. */
  changedClaims(): readonly string[]
  /** Restores a claim that existed at the time of the copy. No pod should use it. */
  restoreClaim(path: string): void
  /** Restores the disks of all nodes. Returns the names of those that had changed. */
  restoreNodes(): readonly string[]
}

type Copies = ReadonlyMap<string, VolumeCopy>

const copyAll = (volumes: ReadonlyMap<string, Volume>): Copies =>
  new Map([...volumes].map(([key, volume]) => [key, copyVolume(volume)]))

export const createSimDisks = (): SimDisks => {
  const claims = new Map<string, Volume>()
  const nodes = new Map<string, Volume>()
  const empty = copyVolume(createVolume({ kind: 'disk' }))

  const findOrCreate = (volumes: Map<string, Volume>, key: string): Volume => {
    const existing = volumes.get(key)
    if (existing !== undefined) return existing
    const volume = createVolume({ kind: 'disk' })
    volumes.set(key, volume)
    return volume
  }
  const claim = (path: string): Volume => findOrCreate(claims, path)
  const isChanged = (volume: Volume | undefined, copy: VolumeCopy): boolean =>
    volume === undefined ? copy.files.size > 0 || copy.folders.size > 1 : !isSameVolume(volume, copy)

  return {
    claim,
    claimBytes: (path) => {
      const volume = claims.get(path)
      return volume === undefined ? 0 : usedBytesOf(volume)
    },
    node: (name) => findOrCreate(nodes, name),
    remove: (path) => void claims.delete(path),
    copy() {
      const claimCopies = copyAll(claims)
      const nodeCopies = copyAll(nodes)
      return {
        changedClaims: () =>
          [...claimCopies].filter(([path, copy]) => isChanged(claims.get(path), copy)).map(([path]) => path),
        restoreClaim(path) {
          const copy = claimCopies.get(path)
          if (copy !== undefined) restoreVolume(claim(path), copy)
        },
        restoreNodes() {
          const changed = [...nodes].filter(([name, disk]) => isChanged(disk, nodeCopies.get(name) ?? empty))
          for (const [name, disk] of changed) restoreVolume(disk, nodeCopies.get(name) ?? empty)
          return changed.map(([name]) => name)
        },
      }
    },
  }
}
