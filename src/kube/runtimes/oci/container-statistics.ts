/** What containers have used since they were started, read from the kernel: cheap enough for every second. */
import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { lazily } from '../../../kit/index.ts'
import { type CgroupHierarchies, createCgroups, findHierarchies } from '../../../linux/index.ts'
import type { ContainerReading, ContainerStatistics, NetworkReading } from '../../../spec/index.ts'
import type { ContainerInstance, ContainerRegister } from './container-instance.ts'

/** Larger than any of the files. */
const BLOCK = Buffer.allocUnsafe(64 * 1024)
const NANOSECONDS = 1e9
const MICROSECONDS = 1e6

/** Empty where the group or the process is gone, or the kernel has no such file. */
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

/** The number after `name` at the beginning of a line, with a space or what is given between. */
const field = (text: string, name: string, between = ' '): number => {
  const at = text.startsWith(name + between) ? 0 : text.indexOf(`\n${name}${between}`) + 1
  if (at === 0 && !text.startsWith(name + between)) return 0
  return Number.parseInt(text.slice(at + name.length + between.length, at + name.length + 24), 10) || 0
}

/** Of `259:0 Write 4096` and the like: the sum over all devices. */
const sumOf = (text: string, pattern: RegExp): number => {
  let sum = 0
  for (const [, digits] of text.matchAll(pattern)) sum += Number(digits)
  return sum
}

type Resources = Omit<ContainerReading, 'memoryLimit'>

/** A file of a control group; empty also where the machine has not even the controller. */
const readIn = (hierarchies: CgroupHierarchies, controller: string, path: string, file: string): string => {
  let folder: string
  try {
    folder = hierarchies.of(controller)
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

/** Over all devices but the loopback: `eth0: bytes packets errs drop ...`, sixteen numbers. */
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

/** What the first process wrote, also where the kernel charges nobody when it gets to the disk later. */
const withOwnWrites = (resources: Resources, pid: number): Resources => {
  const text = read(`/proc/${pid}/io`)
  return {
    ...resources,
    readBytes: Math.max(resources.readBytes, field(text, 'read_bytes', ': ')),
    writtenBytes: Math.max(resources.writtenBytes, field(text, 'write_bytes', ': ')),
  }
}

export const createContainerStatistics = (
  register: Pick<ContainerRegister, 'ofPod'>,
  find: () => CgroupHierarchies = findHierarchies,
): ContainerStatistics => {
  // Where nobody asks, nothing is looked up.
  const hierarchies = lazily(find)
  const cgroups = lazily(() => createCgroups(hierarchies()))
  /** Of a container, which cannot change once it runs. */
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
      const running = register.ofPod(podUid).filter(({ pid }) => pid !== undefined)
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
