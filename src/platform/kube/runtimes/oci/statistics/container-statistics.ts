/** Reads the cumulative resource usage of containers from the kernel; cheap enough to run every second. */
import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { defined, lazily } from '#kit'
import { type CgroupHierarchies, createCgroups, findHierarchies } from '#machine/linux'
import type { ContainerReading, ContainerStatistics, NetworkReading } from '#spec'
import type { ContainerInstance, ContainerRegister } from '../containers/container-instance.ts'

/** Larger than any file that is read. */
const BLOCK = Buffer.allocUnsafe(64 * 1024)
const NANOSECONDS_PER_SECOND = 1e9
const MICROSECONDS_PER_SECOND = 1e6

/** Returns an empty string if the file cannot be read. */
const readFile = (path: string): string => {
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
const fieldValue = (text: string, name: string, separator = ' '): number => {
  const from = text.startsWith(name + separator) ? 0 : text.indexOf(`\n${name}${separator}`) + 1
  if (from === 0 && !text.startsWith(name + separator)) return 0
  return Number.parseInt(text.slice(from + name.length + separator.length, from + name.length + 24), 10) || 0
}

/** The sum over all devices, from lines such as `259:0 Write 4096`. */
const sumOf = (text: string, pattern: RegExp): number => {
  let sum = 0
  for (const [, digits] of text.matchAll(pattern)) sum += Number(digits)
  return sum
}

type Resources = Omit<ContainerReading, 'memoryLimit'>

/** A file of a control group; empty if the controller does not exist. */
const readCgroupFile = (
  hierarchies: CgroupHierarchies,
  controller: string,
  path: string,
  file: string,
): string => {
  let folder: string
  try {
    folder = hierarchies.folderOf(controller)
  } catch {
    return ''
  }
  return readFile(join(folder, path, file))
}

const readV1 = (groups: CgroupHierarchies, path: string): Resources => {
  const cpu = readCgroupFile(groups, 'cpu', path, 'cpu.stat')
  const memory = Number(readCgroupFile(groups, 'memory', path, 'memory.usage_in_bytes'))
  const cache = fieldValue(readCgroupFile(groups, 'memory', path, 'memory.stat'), 'total_inactive_file')
  const disk = readCgroupFile(groups, 'blkio', path, 'blkio.throttle.io_service_bytes')
  return {
    cpuSeconds: Number(readCgroupFile(groups, 'cpuacct', path, 'cpuacct.usage')) / NANOSECONDS_PER_SECOND,
    cpuPeriods: fieldValue(cpu, 'nr_periods'),
    cpuThrottledPeriods: fieldValue(cpu, 'nr_throttled'),
    cpuThrottledSeconds: fieldValue(cpu, 'throttled_time') / NANOSECONDS_PER_SECOND,
    memoryWorkingSet: Math.max(0, memory - cache),
    readBytes: sumOf(disk, / Read (\d+)/g),
    writtenBytes: sumOf(disk, / Write (\d+)/g),
  }
}

const readV2 = (groups: CgroupHierarchies, path: string): Resources => {
  const cpu = readCgroupFile(groups, 'cpu', path, 'cpu.stat')
  const memory = Number(readCgroupFile(groups, 'memory', path, 'memory.current'))
  const cache = fieldValue(readCgroupFile(groups, 'memory', path, 'memory.stat'), 'inactive_file')
  const disk = readCgroupFile(groups, 'io', path, 'io.stat')
  return {
    cpuSeconds: fieldValue(cpu, 'usage_usec') / MICROSECONDS_PER_SECOND,
    cpuPeriods: fieldValue(cpu, 'nr_periods'),
    cpuThrottledPeriods: fieldValue(cpu, 'nr_throttled'),
    cpuThrottledSeconds: fieldValue(cpu, 'throttled_usec') / MICROSECONDS_PER_SECOND,
    memoryWorkingSet: Math.max(0, memory - cache),
    readBytes: sumOf(disk, / rbytes=(\d+)/g),
    writtenBytes: sumOf(disk, / wbytes=(\d+)/g),
  }
}

/** Sums all devices except the loopback, from lines `eth0: bytes packets errs drop ...` with sixteen numbers. */
const readNetwork = (pid: number): NetworkReading | undefined => {
  const text = readFile(`/proc/${pid}/net/dev`)
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

/** Uses the first process's counters if they are larger: cgroup v1 does not charge buffered writes to the group. */
const withProcessCounters = (resources: Resources, pid: number): Resources => {
  const text = readFile(`/proc/${pid}/io`)
  return {
    ...resources,
    readBytes: Math.max(resources.readBytes, fieldValue(text, 'read_bytes', ': ')),
    writtenBytes: Math.max(resources.writtenBytes, fieldValue(text, 'write_bytes', ': ')),
  }
}

export const createContainerStatistics = (
  register: Pick<ContainerRegister, 'containersOf'>,
  find: () => CgroupHierarchies = findHierarchies,
): ContainerStatistics => {
  // Looked up only on first use.
  const hierarchies = lazily(find)
  const cgroups = lazily(() => createCgroups(hierarchies()))
  /** The limits of running containers, which cannot change. */
  const limits = new WeakMap<ContainerInstance, number>()

  const limitOf = (instance: ContainerInstance): number => {
    const limit = limits.get(instance) ?? cgroups().memoryLimit(instance.cgroup)
    limits.set(instance, limit)
    return limit
  }

  const readingOf = (instance: ContainerInstance, pid: number): ContainerReading => {
    const limit = limitOf(instance)
    const resources = (hierarchies().version === 2 ? readV2 : readV1)(hierarchies(), instance.cgroup)
    return {
      ...withProcessCounters(resources, pid),
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
        ...defined({ network }),
      }
    },
  }
}
