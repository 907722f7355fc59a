/** What faults leave on the machine while they act: rules and queues in a pod's network, mounts, helper programs. */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'

export interface Footprint {
  /** Rules and chains of the pod's firewall. */
  rules: readonly string[]
  /** Queue disciplines of the pod's devices. */
  queues: readonly string[]
  /** What the first container sees mounted. */
  mounts: readonly string[]
  /** Programs that the engine has started for the cluster and that still run, each by its command line. */
  helpers: readonly string[]
}

/** The control groups of the pod's containers, by hierarchy or in the one there is. */
const groupsOf = (uid: string, controller: string): string[] =>
  globSync(`/sys/fs/cgroup/{${controller}/,}remedium/*/*/${uid}/*/`)

/** The host's number of the first process of a pod's container. */
const firstProcess = (uid: string): { pid: number; clusterId: string } => {
  for (const group of groupsOf(uid, 'memory')) {
    const [pid] = readFileSync(`${group}/cgroup.procs`, 'utf8').split('\n')
    if (pid !== undefined && pid !== '')
      return { pid: Number(pid), clusterId: /remedium\/([^/]+)/.exec(group)![1]! }
  }
  throw new Error(`no container of the pod ${uid} runs`)
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')

const inNetwork = (pid: number, ...command: string[]): string[] =>
  linesOf(execFileSync('nsenter', ['--target', `${pid}`, '--net', '--', ...command], { encoding: 'utf8' }))

const readOrNothing = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // It ended while we looked.
    return ''
  }
}

const helpersOf = (clusterId: string): string[] =>
  globSync('/proc/[0-9]*/environ')
    .filter((path) =>
      readOrNothing(path)
        .split('\0')
        .some((entry) => entry.startsWith('REMEDIUM_CLUSTER=') && entry.endsWith(`/${clusterId}`)),
    )
    .map((path) => readOrNothing(path.replace('environ', 'cmdline')).replaceAll('\0', ' ').trim())
    .filter((line) => line !== '')
    .toSorted()

export const footprintOf = (uid: string): Footprint => {
  const { pid, clusterId } = firstProcess(uid)
  return {
    // Counters and the default chains of a table that is there but empty say nothing.
    rules: inNetwork(pid, 'iptables-save').filter((line) => /^-A|^:.* - /.test(line)),
    queues: inNetwork(pid, 'tc', 'qdisc', 'show'),
    mounts: linesOf(readFileSync(`/proc/${pid}/mountinfo`, 'utf8')).map((line) =>
      line.split(' ').slice(3).join(' '),
    ),
    helpers: helpersOf(clusterId),
  }
}

/** Nanoseconds of CPU time that the pod's containers have used. */
export const cpuTimeOf = (uid: string): bigint =>
  groupsOf(uid, 'cpuacct').reduce((sum, group) => {
    const [old] = globSync(`${group}/cpuacct.usage`)
    if (old !== undefined) return sum + BigInt(readFileSync(old, 'utf8').trim())
    const micros = /usage_usec (\d+)/.exec(readOrNothing(`${group}/cpu.stat`))?.[1] ?? '0'
    return sum + BigInt(micros) * 1000n
  }, 0n)
