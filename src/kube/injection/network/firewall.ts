/** The rules in a pod's network namespace: each fault has chains of its own, so that it goes without a trace. */
import { type NetworkNamespace, runChecked } from '../../../linux/index.ts'
import type { NetworkFault } from '../../ports/index.ts'
import { PASSED_MARK, QUEUE_NUMBER } from './packet-queue.ts'

/** What is added to one of the kernel's chains: a chain of ours, reached by `match`. */
export interface Hook {
  readonly parent: 'INPUT' | 'OUTPUT' | 'POSTROUTING'
  readonly chain: string
  readonly match: string
  readonly rules: readonly string[]
}

const MARK = `0x${PASSED_MARK.toString(16)}`
/** The kernel limits the names of chains to 28 letters. */
const chainOf = (id: string, direction: string): string => `RMD-${id}-${direction}`

/** One rule for each peer, or one for all. */
const forPeers = (peers: readonly string[] | undefined, flag: string, action: string): readonly string[] =>
  (peers?.map((peer) => `${flag} ${peer} `) ?? ['']).map((match) => `${match}${action}`)

/** No packet passes, whatever connection it belongs to. */
export const toCut = (
  id: string,
  cut: NonNullable<NetworkFault['cut']>,
  peers?: readonly string[],
): readonly Hook[] => {
  const hooks: Hook[] = []
  if (cut !== 'incoming')
    hooks.push({
      parent: 'OUTPUT',
      chain: chainOf(id, 'out'),
      match: '-o eth0',
      rules: forPeers(peers, '-d', '-j DROP'),
    })
  if (cut !== 'outgoing')
    hooks.push({
      parent: 'INPUT',
      chain: chainOf(id, 'in'),
      match: '-i eth0',
      rules: forPeers(peers, '-s', '-j DROP'),
    })
  return hooks
}

/** Packets go to the program of ours; if it does not run, they pass. */
export const toQueue = (id: string, peers?: readonly string[]): readonly Hook[] => [
  {
    parent: 'POSTROUTING',
    chain: chainOf(id, 'queue'),
    match: `-o eth0 -m mark ! --mark ${MARK}`,
    rules: forPeers(peers, '-d', `-j NFQUEUE --queue-num ${QUEUE_NUMBER} --queue-bypass`),
  },
]

const jump = (id: string, { match, chain }: Hook): string =>
  `${match} -m comment --comment "remedium fault ${id}" -j ${chain}`

export const toAddition = (id: string, hooks: readonly Hook[]): string =>
  [
    '*mangle',
    ...hooks.map(({ chain }) => `:${chain} - [0:0]`),
    ...hooks.flatMap(({ chain, rules }) => rules.map((rule) => `-A ${chain} ${rule}`)),
    ...hooks.map((hook) => `-A ${hook.parent} ${jump(id, hook)}`),
    'COMMIT\n',
  ].join('\n')

export const toRemoval = (id: string, hooks: readonly Hook[]): string =>
  [
    '*mangle',
    ...hooks.map((hook) => `-D ${hook.parent} ${jump(id, hook)}`),
    ...hooks.flatMap(({ chain }) => [`-F ${chain}`, `-X ${chain}`]),
    'COMMIT\n',
  ].join('\n')

/** All of the text at once, or nothing of it. */
export const changeRules = async (
  namespace: NetworkNamespace,
  text: string,
  environment: Readonly<Record<string, string>>,
): Promise<void> => {
  await runChecked('iptables-restore', ['--noflush', '-w'], { input: text, namespace, environment })
}
