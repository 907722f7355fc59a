/** Faults on files: a file system of ours over a volume of a running container, one for all faults on it. */
import { readlinkSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Clock, type Random, sleep } from '../../../kit/index.ts'
import { isBelow, runChecked } from '../../../linux/index.ts'
import type { IoFault } from '../../ports/index.ts'
import type { ApplyFault } from '../apply-fault.ts'
import { targetContainer } from '../target-container.ts'
import type { MoveTask } from './descriptors/move-task.ts'
import { parseGlob } from './glob-pattern.ts'
import { createVolumeServer, type VolumeServer } from './volume-server.ts'

export interface IoFaultsOptions {
  /** Of the cluster; what the programs keep to start quicker lies in it. */
  folder: string
  /** Environment of every program that is started. */
  marker: Readonly<Record<string, string>>
  clock: Clock
  random: Random
  onError(error: Error): void
}

interface Volume {
  readonly mountNamespace: string
  readonly path: string
  readonly source: string
  readonly faults: Set<number>
  readonly server: Promise<VolumeServer>
  closing?: Promise<void>
}

const MOVER = fileURLToPath(new URL('./descriptors/move-descriptors.ts', import.meta.url))
const MOVE_PATIENCE_MS = 20_000
/** How long recovery waits for the kernel to let go of the mount. */
const END_PATIENCE_MS = 500

export const createIoFaults = ({
  folder,
  marker,
  clock,
  random,
  onError,
}: IoFaultsOptions): ApplyFault<IoFault> => {
  const environment = { ...marker, NODE_COMPILE_CACHE: join(folder, 'compiled') }
  const volumes = new Set<Volume>()
  let lastId = 0

  const moveDescriptors = async (
    { mountNamespace, source }: Pick<Volume, 'mountNamespace' | 'source'>,
    { mountPoint, mountId }: VolumeServer,
    direction: MoveTask['direction'],
  ): Promise<void> => {
    const task: MoveTask = { direction, mountNamespace, mountPoint, mountId, source }
    await runChecked(process.execPath, [MOVER, JSON.stringify(task)], {
      environment,
      timeoutMs: MOVE_PATIENCE_MS,
    })
  }

  /** Takes the mount away; the program goes on for those that still hold on to it, and ends with the last. */
  const close = async (volume: Volume): Promise<void> => {
    const server = await volume.server
    await moveDescriptors(volume, server, 'off-mount').catch(onError)
    await Promise.race([server.ended, sleep(clock, END_PATIENCE_MS)])
    server.abandon()
    volumes.delete(volume)
  }

  const open = (pid: number, mountNamespace: string, path: string): Volume => {
    const source = `volume-${random.suffix(10)}`
    const start = async (): Promise<VolumeServer> => {
      const task = { pid, mountNamespace, volumePath: path, source, seed: random.uuid() }
      const server = await createVolumeServer(task, environment, onError)
      // Files that cannot be moved are not hit; the fault stands for all others.
      await moveDescriptors({ mountNamespace, source }, server, 'onto-mount').catch(onError)
      return server
    }
    const volume: Volume = { mountNamespace, path, source, faults: new Set(), server: start() }
    volumes.add(volume)
    void volume.server.then(
      (server) => server.ended.then(() => server.abandon()),
      () => volumes.delete(volume),
    )
    return volume
  }

  /** The volume as it is served already, once one that is being closed is out of the way. */
  const joinVolume = async (pid: number, path: string, id: number): Promise<Volume> => {
    const mountNamespace = readlinkSync(`/proc/${pid}/ns/mnt`)
    if (mountNamespace === readlinkSync('/proc/self/ns/mnt'))
      throw new Error(`process ${pid} has no mounts of its own`)
    for (;;) {
      const neighbours = [...volumes].filter((volume) => volume.mountNamespace === mountNamespace)
      const same = neighbours.find((volume) => volume.path === path)
      const around = neighbours.find((each) => isBelow(path, each.path) || isBelow(each.path, path))
      if (same === undefined && around !== undefined)
        throw new Error(`a fault acts on ${around.path} already, which overlaps with ${path}`)
      if (same?.closing === undefined) {
        const volume = same ?? open(pid, mountNamespace, path)
        volume.faults.add(id)
        return volume
      }
      await same.closing
    }
  }

  const recover = async (volume: Volume, id: number): Promise<void> => {
    const server = await volume.server
    await server.remove(id)
    volume.faults.delete(id)
    if (volume.faults.size > 0) return
    volume.closing ??= close(volume)
    await volume.closing
  }

  return async (fault, view) => {
    const path = posix.resolve('/', fault.volumePath)
    // The program that serves the volume must not learn of a pattern that cannot be read.
    if (fault.path !== undefined) parseGlob(fault.path)
    lastId += 1
    const id = lastId
    const volume = await joinVolume(targetContainer(fault.target, view).pid, path, id)
    try {
      const { type: _, target: __, ...rule } = fault
      await (await volume.server).add(id, rule)
    } catch (error) {
      if (volumes.has(volume)) await recover(volume, id).catch(onError)
      throw error
    }
    let undone: Promise<void> | undefined
    return () => {
      undone ??= recover(volume, id)
      return undone
    }
  }
}
