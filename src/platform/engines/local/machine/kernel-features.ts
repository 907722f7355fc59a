/** Detects the kernel features that local clusters need, by experiment if they cannot be read. */
import { existsSync, readFileSync } from 'node:fs'
import { release } from 'node:os'
import { defined, findExecutable } from '#kit'
import {
  createCgroups,
  createNetworkNamespace,
  findHierarchies,
  type NetworkNamespace,
  runProgram,
} from '#machine/linux'

export interface KernelFeature {
  readonly name: string
  readonly present: boolean
  /** The finding, or the consequence of a missing feature. */
  readonly detail: string
}

const NAMESPACES = ['net', 'mnt', 'pid', 'uts', 'ipc']

const listFileSystems = (): string[] =>
  readFileSync('/proc/filesystems', 'utf8')
    .split('\n')
    .map((line) => line.split('\t').at(-1) ?? '')

const checkNamespaces = (): KernelFeature => {
  const missing = NAMESPACES.filter((name) => !existsSync(`/proc/self/ns/${name}`))
  return {
    name: 'namespaces',
    present: missing.length === 0,
    detail:
      missing.length === 0 ? NAMESPACES.join(', ') : `The kernel lacks namespaces for ${missing.join(', ')}.`,
  }
}

/** Whether the kernel can load it as a module. */
const isModule = (name: string): boolean => {
  const list = `/lib/modules/${release()}/modules.dep`
  return existsSync(list) && new RegExp(`/${name}\\.ko[.a-z]*:`).test(readFileSync(list, 'utf8'))
}

const checkFileSystem = (type: string, name: string, missingDetail: string): KernelFeature => {
  if (listFileSystems().includes(type)) return { name, present: true, detail: 'in the kernel' }
  const present = isModule(type)
  return { name, present, detail: present ? 'a kernel module' : missingDetail }
}

/** Creates and removes a control group outside those of clusters. */
const testGroupCreation = (): void => {
  const groups = createCgroups()
  const path = `remedium-trial-${process.pid}/below`
  try {
    groups.create(path)
  } finally {
    groups.remove(`remedium-trial-${process.pid}`)
  }
}

const checkCgroups = (): KernelFeature => {
  const name = 'cgroups'
  try {
    const { version, folderOf } = findHierarchies()
    for (const controller of ['cpu', 'memory', 'pids']) {
      const folder = folderOf(controller)
      if (
        version === 2 &&
        !readFileSync(`${folder}/cgroup.controllers`, 'utf8').split(/\s/).includes(controller)
      )
        throw new Error(`the controller ${controller} is missing`)
    }
    if (process.getuid?.() === 0) testGroupCreation()
    return { name, present: true, detail: `version ${version}, with cpu, memory and pids` }
  } catch (error) {
    return {
      name,
      present: false,
      detail: `Mount control groups for writing, and keep the root group free of processes (${(error as Error).message}).`,
    }
  }
}

/** Whether a program succeeds in an isolated network namespace. */
const succeeds = async (
  namespace: NetworkNamespace,
  program: string,
  args: readonly string[],
  input?: string,
): Promise<boolean> => {
  try {
    return (await runProgram(program, args, { namespace, ...defined({ input }) })).exitCode === 0
  } catch {
    return false
  }
}

const NAT_RULES = `table ip t { chain c { type nat hook prerouting priority dstnat; ip daddr 10.0.0.1 dnat to 10.0.0.2; }; }`

/** Replaces the detail if the feature could not be tested because the program is missing. */
const withInstallHint = (feature: KernelFeature, program: string): KernelFeature =>
  findExecutable(program) === undefined
    ? { ...feature, present: false, detail: `Install ${program} to test this feature.` }
    : feature

const networkFeatures = async (): Promise<KernelFeature[]> => {
  const namespace = createNetworkNamespace()
  try {
    const nat = await succeeds(namespace, 'nft', ['-f', '-'], NAT_RULES)
    const netem = await succeeds(namespace, 'tc', 'qdisc add dev lo root netem delay 1ms'.split(' '))
    const queue = await succeeds(namespace, 'iptables', '-A OUTPUT -j NFQUEUE --queue-num 1'.split(' '))
    const tbf = await succeeds(
      namespace,
      'tc',
      'qdisc replace dev lo root tbf rate 1mbit burst 32kbit latency 50ms'.split(' '),
    )
    const mechanisms = [...(netem ? ['netem'] : []), ...(queue ? ['NFQUEUE'] : [])].join(' and ')
    const natDetail = nat ? 'works' : 'Services need CONFIG_NFT_NAT in the kernel.'
    const packetDetail =
      mechanisms ||
      'Delay and loss need netem (CONFIG_NET_SCH_NETEM) or NFQUEUE (CONFIG_NETFILTER_XT_TARGET_NFQUEUE).'
    const tbfDetail = tbf ? 'works' : 'Bandwidth faults need CONFIG_NET_SCH_TBF in the kernel.'
    return [
      withInstallHint({ name: 'nft nat', present: nat, detail: natDetail }, 'nft'),
      withInstallHint({ name: 'packet faults', present: netem || queue, detail: packetDetail }, 'tc'),
      withInstallHint({ name: 'tbf', present: tbf, detail: tbfDetail }, 'tc'),
    ]
  } finally {
    namespace.close()
  }
}

/** Network features are tested only as root. */
export const kernelFeatures = async (): Promise<KernelFeature[]> => [
  checkNamespaces(),
  checkFileSystem('overlay', 'overlay', 'Containers need CONFIG_OVERLAY_FS in the kernel.'),
  checkCgroups(),
  existsSync('/dev/fuse')
    ? checkFileSystem('fuse', 'FUSE', 'I/O faults need CONFIG_FUSE_FS in the kernel.')
    : { name: 'FUSE', present: false, detail: 'I/O faults need /dev/fuse.' },
  ...(process.getuid?.() === 0 ? await networkFeatures() : []),
]
