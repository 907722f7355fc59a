/** Lists the state of a pod on the host that faults change: firewall rules, queue disciplines, mounts, helper programs. */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'

export interface Footprint {
  /** The firewall rules and chains of the pod. */
  rules: readonly string[]
  /** The queue disciplines of the pod's network devices. */
  queues: readonly string[]
  /** The mounts of the first container. */
  mounts: readonly string[]
  /** The command lines of running programs that the engine started for the cluster. */
  helpers: readonly string[]
}

/** Lists the control groups of the containers of a pod, with cgroup v1 or v2. */
const groupsOf = (uid: string, controller: string): string[] =>
  globSync(`/sys/fs/cgroup/{${controller}/,}remedium/*/*/${uid}/*/`)

/** Finds a process in a container of the pod; the PID is that on the host. */
const findProcess = (uid: string): { pid: number; clusterId: string } => {
  for (const group of groupsOf(uid, 'memory')) {
    const [pid] = readFileSync(`${group}/cgroup.procs`, 'utf8').split('\n')
    if (pid !== undefined && pid !== '')
      return { pid: Number(pid), clusterId: /remedium\/([^/]+)/.exec(group)![1]! }
  }
  throw new Error(`no container of the pod ${uid} is running`)
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')

const runInNetwork = (pid: number, ...command: string[]): string[] =>
  linesOf(execFileSync('nsenter', ['--target', `${pid}`, '--net', '--', ...command], { encoding: 'utf8' }))

const readOrEmpty = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // The process has exited.
    return ''
  }
}

const listHelpers = (clusterId: string): string[] =>
  globSync('/proc/[0-9]*/environ')
    .filter((path) =>
      readOrEmpty(path)
        .split('\0')
        .some((entry) => entry.startsWith('REMEDIUM_CLUSTER=') && entry.endsWith(`/${clusterId}`)),
    )
    .map((path) => readOrEmpty(path.replace('environ', 'cmdline')).replaceAll('\0', ' ').trim())
    .filter((line) => line !== '')
    .toSorted()

export const footprintOf = (uid: string): Footprint => {
  const { pid, clusterId } = findProcess(uid)
  return {
    // Leaves out counters and the default chains of empty tables.
    rules: runInNetwork(pid, 'iptables-save').filter((line) => /^-A|^:.* - /.test(line)),
    queues: runInNetwork(pid, 'tc', 'qdisc', 'show'),
    mounts: linesOf(readFileSync(`/proc/${pid}/mountinfo`, 'utf8')).map((line) =>
      line.split(' ').slice(3).join(' '),
    ),
    helpers: listHelpers(clusterId),
  }
}

/** Returns the CPU time of the containers of a pod, in nanoseconds. */
export const cpuTimeOf = (uid: string): bigint =>
  groupsOf(uid, 'cpuacct').reduce((sum, group) => {
    const [cgroupV1File] = globSync(`${group}/cpuacct.usage`)
    if (cgroupV1File !== undefined) return sum + BigInt(readFileSync(cgroupV1File, 'utf8').trim())
    const micros = /usage_usec (\d+)/.exec(readOrEmpty(`${group}/cpu.stat`))?.[1] ?? '0'
    return sum + BigInt(micros) * 1000n
  }, 0n)
