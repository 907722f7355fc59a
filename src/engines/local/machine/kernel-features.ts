/** What the kernel of this machine offers to local clusters, tried out where it cannot be read. */
import { existsSync, readFileSync } from 'node:fs'
import { release } from 'node:os'
import { findExecutable } from '../../../kit/index.ts'
import {
  createCgroups,
  createNetworkNamespace,
  findHierarchies,
  type NetworkNamespace,
  runProgram,
} from '../../../linux/index.ts'

export interface KernelFeature {
  readonly name: string
  readonly present: boolean
  /** What was found; or what does not work without it. */
  readonly detail: string
}

const NAMESPACES = ['net', 'mnt', 'pid', 'uts', 'ipc']

const fileSystems = (): string[] =>
  readFileSync('/proc/filesystems', 'utf8')
    .split('\n')
    .map((line) => line.split('\t').at(-1) ?? '')

const namespaces = (): KernelFeature => {
  const missing = NAMESPACES.filter((name) => !existsSync(`/proc/self/ns/${name}`))
  return {
    name: 'namespaces',
    present: missing.length === 0,
    detail: missing.length === 0 ? NAMESPACES.join(', ') : `The kernel has none for ${missing.join(', ')}.`,
  }
}

/** Whether the kernel finds it as a module when it is first used. */
const isModule = (name: string): boolean => {
  const list = `/lib/modules/${release()}/modules.dep`
  return existsSync(list) && new RegExp(`/${name}\\.ko[.a-z]*:`).test(readFileSync(list, 'utf8'))
}

const fileSystem = (type: string, name: string, without: string): KernelFeature => {
  if (fileSystems().includes(type)) return { name, present: true, detail: 'in the kernel' }
  const present = isModule(type)
  return { name, present, detail: present ? 'a module of the kernel' : without }
}

/** Below the group of no cluster. */
const tryGroup = (): void => {
  const groups = createCgroups()
  const path = `remedium-trial-${process.pid}/below`
  try {
    groups.create(path)
  } finally {
    groups.remove(`remedium-trial-${process.pid}`)
  }
}

const cgroups = (): KernelFeature => {
  const name = 'cgroups'
  try {
    const { version, of } = findHierarchies()
    for (const controller of ['cpu', 'memory', 'pids']) {
      const folder = of(controller)
      if (
        version === 2 &&
        !readFileSync(`${folder}/cgroup.controllers`, 'utf8').split(/\s/).includes(controller)
      )
        throw new Error(`this machine has no control groups for ${controller}`)
    }
    if (process.getuid?.() === 0) tryGroup()
    return { name, present: true, detail: `version ${version}, with cpu, memory and pids` }
  } catch (error) {
    return {
      name,
      present: false,
      detail: `Mount control groups for writing, with nobody in the topmost one (${(error as Error).message}).`,
    }
  }
}

/** Whether a program does its work in a namespace that nobody else sees. */
const works = async (
  namespace: NetworkNamespace,
  program: string,
  args: readonly string[],
  input?: string,
): Promise<boolean> => {
  try {
    return (
      (await runProgram(program, args, { namespace, ...(input === undefined ? {} : { input }) })).exitCode ===
      0
    )
  } catch {
    return false
  }
}

const NAT = `table ip t { chain c { type nat hook prerouting priority dstnat; ip daddr 10.0.0.1 dnat to 10.0.0.2; }; }`

/** What it says where it could not be tried out is of no use. */
const orUntried = (feature: KernelFeature, program: string): KernelFeature =>
  findExecutable(program) === undefined
    ? { ...feature, present: false, detail: `It can be tried out when ${program} is here.` }
    : feature

const networkFeatures = async (): Promise<KernelFeature[]> => {
  const namespace = createNetworkNamespace()
  try {
    const nat = await works(namespace, 'nft', ['-f', '-'], NAT)
    const netem = await works(namespace, 'tc', 'qdisc add dev lo root netem delay 1ms'.split(' '))
    const queue = await works(namespace, 'iptables', '-A OUTPUT -j NFQUEUE --queue-num 1'.split(' '))
    const tbf = await works(
      namespace,
      'tc',
      'qdisc replace dev lo root tbf rate 1mbit burst 32kbit latency 50ms'.split(' '),
    )
    const how = [...(netem ? ['netem'] : []), ...(queue ? ['NFQUEUE'] : [])].join(' and ')
    const natWords = nat ? 'works' : 'Services need CONFIG_NFT_NAT in the kernel.'
    const packetWords =
      how ||
      'Delay and loss need netem (CONFIG_NET_SCH_NETEM) or NFQUEUE (CONFIG_NETFILTER_XT_TARGET_NFQUEUE).'
    const tbfWords = tbf ? 'works' : 'Bandwidth faults need CONFIG_NET_SCH_TBF in the kernel.'
    return [
      orUntried({ name: 'nft nat', present: nat, detail: natWords }, 'nft'),
      orUntried({ name: 'packet faults', present: netem || queue, detail: packetWords }, 'tc'),
      orUntried({ name: 'tbf', present: tbf, detail: tbfWords }, 'tc'),
    ]
  } finally {
    namespace.close()
  }
}

/** Needs root for the last of them. */
export const kernelFeatures = async (): Promise<KernelFeature[]> => [
  namespaces(),
  fileSystem('overlay', 'overlay', 'Containers need CONFIG_OVERLAY_FS in the kernel.'),
  cgroups(),
  existsSync('/dev/fuse')
    ? fileSystem('fuse', 'FUSE', 'I/O faults need CONFIG_FUSE_FS in the kernel.')
    : { name: 'FUSE', present: false, detail: 'I/O faults need /dev/fuse.' },
  ...(process.getuid?.() === 0 ? await networkFeatures() : []),
]
