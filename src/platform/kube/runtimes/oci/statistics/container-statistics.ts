/** Reads the cumulative resource usage of containers from the kernel; cheap enough to run every second. */
import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { lazily } from '#kit'
import { type CgroupHierarchies, createCgroups, findHierarchies } from '#machine/linux'
import type { ContainerReading, ContainerStatistics, NetworkReading } from '#spec'
import type { ContainerInstance, ContainerRegister } from '../containers/container-instance.ts'

/** Larger than any file that is read. */
const BLOCK = Buffer.allocUnsafe(64 * 1024)
const NANOSECONDS = 1e9
const MICROSECONDS = 1e6

/** Returns an empty string if the file does not exist. */
const read = (path: string): string => {
  let fd: number
  try {
    fd = openSync(path, 'r')
  } catch {
    return ''
  }
  try {
    return BLOCK.toString('latin1', 0, readSync(fd, BLOCK, 0, BLOCK.length, 0))
  } catch {
    return ''
  } finally {
    closeSync(fd)
  }
}

/** The number after `name` at the start of a line; 0 if there is none. */
const field = (text: string, name: string, between = ' '): number => {
  const at = text.startsWith(name + between) ? 0 : text.indexOf(`\n${name}${between}`) + 1
  if (at === 0 && !text.startsWith(name + between)) return 0
  return Number.parseInt(text.slice(at + name.length + between.length, at + name.length + 24), 10) || 0
}

/** The sum over all devices, from lines such as `259:0 Write 4096`. */
const sumOf = (text: string, pattern: RegExp): number => {
  let sum = 0
  for (const [, digits] of text.matchAll(pattern)) sum += Number(digits)
  return sum
}

type Resources = Omit<ContainerReading, 'memoryLimit'>

/** A file of a control group; empty if the controller does not exist. */
const readIn = (hierarchies: CgroupHierarchies, controller: string, path: string, file: string): string => {
  let folder: string
  try {
    folder = hierarchies.folderOf(controller)
  } catch {
    return ''
  }
  return read(join(folder, path, file))
}

const readV1 = (groups: CgroupHierarchies, path: string): Resources => {
  const cpu = readIn(groups, 'cpu', path, 'cpu.stat')
  const memory = Number(readIn(groups, 'memory', path, 'memory.usage_in_bytes'))
  const cache = field(readIn(groups, 'memory', path, 'memory.stat'), 'total_inactive_file')
  const disk = readIn(groups, 'blkio', path, 'blkio.throttle.io_service_bytes')
  return {
    cpuSeconds: Number(readIn(groups, 'cpuacct', path, 'cpuacct.usage')) / NANOSECONDS,
    cpuPeriods: field(cpu, 'nr_periods'),
    cpuThrottledPeriods: field(cpu, 'nr_throttled'),
    cpuThrottledSeconds: field(cpu, 'throttled_time') / NANOSECONDS,
    memoryWorkingSet: Math.max(0, memory - cache),
    readBytes: sumOf(disk, / Read (\d+)/g),
    writtenBytes: sumOf(disk, / Write (\d+)/g),
  }
}

const readV2 = (groups: CgroupHierarchies, path: string): Resources => {
  const cpu = readIn(groups, 'cpu', path, 'cpu.stat')
  const memory = Number(readIn(groups, 'memory', path, 'memory.current'))
  const cache = field(readIn(groups, 'memory', path, 'memory.stat'), 'inactive_file')
  const disk = readIn(groups, 'io', path, 'io.stat')
  return {
    cpuSeconds: field(cpu, 'usage_usec') / MICROSECONDS,
    cpuPeriods: field(cpu, 'nr_periods'),
    cpuThrottledPeriods: field(cpu, 'nr_throttled'),
    cpuThrottledSeconds: field(cpu, 'throttled_usec') / MICROSECONDS,
    memoryWorkingSet: Math.max(0, memory - cache),
    readBytes: sumOf(disk, / rbytes=(\d+)/g),
    writtenBytes: sumOf(disk, / wbytes=(\d+)/g),
  }
}

/** Sums all devices except the loopback, from lines `eth0: bytes packets errs drop ...` with sixteen numbers. */
const readNetwork = (pid: number): NetworkReading | undefined => {
  const text = read(`/proc/${pid}/net/dev`)
  if (text === '') return undefined
  const sums = { receivedBytes: 0, sentBytes: 0, receiveDropped: 0, sendDropped: 0 }
  for (const line of text.split('\n')) {
    const [device = '', numbers] = line.split(':')
    if (numbers === undefined || device.trim() === 'lo') continue
    const columns = numbers.trim().split(/\s+/).map(Number)
    sums.receivedBytes += columns[0]!
    sums.receiveDropped += columns[3]!
    sums.sentBytes += columns[8]!
    sums.sendDropped += columns[11]!
  }
  return sums
}

/** Includes the writes of the first process, because cgroup v1 does not charge buffered writes to the group. */
const withOwnWrites = (resources: Resources, pid: number): Resources => {
  const text = read(`/proc/${pid}/io`)
  return {
    ...resources,
    readBytes: Math.max(resources.readBytes, field(text, 'read_bytes', ': ')),
    writtenBytes: Math.max(resources.writtenBytes, field(text, 'write_bytes', ': ')),
  }
}

export const createContainerStatistics = (
  register: Pick<ContainerRegister, 'containersOf'>,
  find: () => CgroupHierarchies = findHierarchies,
): ContainerStatistics => {
  // Looked up only on first use.
  const hierarchies = lazily(find)
  const cgroups = lazily(() => createCgroups(hierarchies()))
  /** Limits of running containers, which cannot change. */
  const limits = new WeakMap<ContainerInstance, number>()

  const limitOf = (instance: ContainerInstance): number => {
    const known = limits.get(instance) ?? cgroups().memoryLimit(instance.cgroup)
    limits.set(instance, known)
    return known
  }

  const readingOf = (instance: ContainerInstance, pid: number): ContainerReading => {
    const limit = limitOf(instance)
    const resources = (hierarchies().version === 2 ? readV2 : readV1)(hierarchies(), instance.cgroup)
    return {
      ...withOwnWrites(resources, pid),
      ...(Number.isFinite(limit) ? { memoryLimit: limit } : {}),
    }
  }

  return {
    read(podUid) {
      const running = register.containersOf(podUid).filter(({ pid }) => pid !== undefined)
      if (running.length === 0) return undefined
      const network = readNetwork(running[0]!.pid!)
      return {
        containers: Object.fromEntries(
          running.map((instance) => [instance.container.name, readingOf(instance, instance.pid!)]),
        ),
        ...(network === undefined ? {} : { network }),
      }
    },
  }
}
