/** The volumes of containers with faults on their files, each served by one program. */
import { readlinkSync } from 'node:fs'
import { join as joinPath } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Clock, type Random, sleep } from '#kit'
import { isAtOrBelow, runChecked } from '#machine/linux'
import type { MoveTask } from './descriptors/move-task.ts'
import { createVolumeServer, type VolumeServer } from './volume-server.ts'

export interface ServedVolumesOptions {
  /** The folder of the cluster, which holds the compile cache of the programs. */
  folder: string
  /** Environment variables that mark the started programs as belonging to the cluster. */
  marker: Readonly<Record<string, string>>
  clock: Clock
  random: Random
  onError(error: Error): void
}

export interface ServedVolume {
  readonly mountNamespace: string
  readonly path: string
  readonly source: string
  readonly faults: Set<number>
  readonly server: Promise<VolumeServer>
  closing?: Promise<void>
}

export interface ServedVolumes {
  has(volume: ServedVolume): boolean
  /** Finds the volume or starts its server, and registers the fault's id. The caller adds the rule to the server. */
  addFault(pid: number, path: string, fault: number): Promise<ServedVolume>
  /** Removes the fault; unmounts the volume after its last fault. */
  removeFault(volume: ServedVolume, fault: number): Promise<void>
}

const MOVE_PROGRAM = fileURLToPath(new URL('./descriptors/move-descriptors.ts', import.meta.url))
const MOVE_TIMEOUT_MS = 20_000
/** How long recovery waits for the mount to be released. */
const UNMOUNT_TIMEOUT_MS = 500

const moveDescriptors = async (
  { mountNamespace, source }: Pick<ServedVolume, 'mountNamespace' | 'source'>,
  { mountPoint, mountId }: VolumeServer,
  direction: MoveTask['direction'],
  environment: Readonly<Record<string, string>>,
): Promise<void> => {
  const task: MoveTask = { direction, mountNamespace, mountPoint, mountId, source }
  await runChecked(process.execPath, [MOVE_PROGRAM, JSON.stringify(task)], {
    environment,
    timeoutMs: MOVE_TIMEOUT_MS,
  })
}

export const createServedVolumes = (options: ServedVolumesOptions): ServedVolumes => {
  const { folder, marker, clock, random, onError } = options
  const environment = { ...marker, NODE_COMPILE_CACHE: joinPath(folder, 'compiled') }
  const volumes = new Set<ServedVolume>()

  /** Removes the mount. The program keeps running until no process uses the mount. */
  const close = async (volume: ServedVolume): Promise<void> => {
    const server = await volume.server
    await moveDescriptors(volume, server, 'off-mount', environment).catch(onError)
    await Promise.race([server.ended, sleep(clock, UNMOUNT_TIMEOUT_MS)])
    server.abandon()
    volumes.delete(volume)
  }

  const serve = (pid: number, mountNamespace: string, path: string): ServedVolume => {
    const source = `volume-${random.suffix(10)}`
    const start = async (): Promise<VolumeServer> => {
      const task = { pid, mountNamespace, volumePath: path, source, seed: random.uuid() }
      const server = await createVolumeServer(task, environment, onError)
      // Open files that cannot be moved are not affected; the fault applies to all others.
      await moveDescriptors({ mountNamespace, source }, server, 'onto-mount', environment).catch(onError)
      return server
    }
    const volume: ServedVolume = { mountNamespace, path, source, faults: new Set(), server: start() }
    volumes.add(volume)
    void volume.server.then(
      (server) => server.ended.then(() => server.abandon()),
      () => volumes.delete(volume),
    )
    return volume
  }

  /** If a server of the same volume is being closed, waits for it. */
  const addFault = async (pid: number, path: string, fault: number): Promise<ServedVolume> => {
    const mountNamespace = readlinkSync(`/proc/${pid}/ns/mnt`)
    if (mountNamespace === readlinkSync('/proc/self/ns/mnt'))
      throw new Error(`process ${pid} has no mount namespace of its own`)
    for (;;) {
      const neighbours = [...volumes].filter((volume) => volume.mountNamespace === mountNamespace)
      const same = neighbours.find((volume) => volume.path === path)
      const overlapping = neighbours.find(
        (each) => isAtOrBelow(path, each.path) || isAtOrBelow(each.path, path),
      )
      if (same === undefined && overlapping !== undefined)
        throw new Error(`a fault already acts on ${overlapping.path}, which overlaps with ${path}`)
      if (same?.closing === undefined) {
        const volume = same ?? serve(pid, mountNamespace, path)
        volume.faults.add(fault)
        return volume
      }
      await same.closing
    }
  }

  return {
    has: (volume) => volumes.has(volume),
    addFault,
    async removeFault(volume, fault) {
      const server = await volume.server
      await server.remove(fault)
      volume.faults.delete(fault)
      if (volume.faults.size > 0) return
      volume.closing ??= close(volume)
      await volume.closing
    },
  }
}
