/** Cuts the connection from one service to another: the network of the calling pods resets it at once. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import type { EngineCluster } from '#spec'

interface PodFacts {
  metadata: { name: string; uid: string; labels?: Record<string, string> }
  status: { podIP?: string }
}
interface ServiceFacts {
  spec: { clusterIP?: string; selector?: Record<string, string> }
}

/** Returns the start time in clock ticks since boot. The program name in front of it can contain spaces. */
const startTimeOf = (pid: string): number => {
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return Number(line.slice(line.lastIndexOf(')') + 2).split(' ')[19])
}

/**
 * Returns the oldest process of a pod. All of its processes are in its network, but those of probes end soon. Other
 * clusters can have pods with the same UID.
 */
const findOldestProcess = (cluster: string, uid: string): number => {
  const found = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      try {
        const groups = readFileSync(`/proc/${pid}/cgroup`, 'utf8')
        const isInside = groups.includes(`/${cluster}/`) && groups.includes(`/${uid}/`)
        return isInside ? [{ pid: Number(pid), start: startTimeOf(pid) }] : []
      } catch {
        // The process has exited.
        return []
      }
    })
    .sort((a, b) => a.start - b.start)
  if (found.length === 0) throw new Error(`No process of the pod ${uid} is running.`)
  return found[0]!.pid
}

const applyRules = (cluster: string, pod: PodFacts, rules: string): void => {
  const target = String(findOldestProcess(cluster, pod.metadata.uid))
  const { status, stderr } = spawnSync('nsenter', ['--target', target, '--net', 'nft', '-f', '-'], {
    input: rules,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`nft in the pod ${pod.metadata.name}: ${stderr}`)
}

const selects = (selector: Record<string, string> | undefined, labels: Record<string, string>): boolean =>
  selector !== undefined && Object.entries(selector).every(([key, value]) => labels[key] === value)

/** Resolves to a function that restores the connection. */
export const cutEdge = async (
  { id, api }: Pick<EngineCluster, 'id' | 'api'>,
  { namespace, from, to }: { namespace: string; from: string; to: string },
): Promise<() => void> => {
  const list = async <T>(plural: string): Promise<T[]> =>
    (await api.list({ apiVersion: 'v1', plural, namespace })).items as unknown as T[]
  const pods = await list<PodFacts>('pods')
  const selectPods = (service: string): PodFacts[] =>
    pods.filter(({ metadata }) => metadata.labels?.app === service)
  const calledPods = selectPods(to)
  const services = (await list<ServiceFacts>('services')).filter(({ spec }) =>
    calledPods.some(({ metadata }) => selects(spec.selector, metadata.labels ?? {})),
  )
  const addresses = [
    ...calledPods.map(({ status }) => status.podIP),
    ...services.map(({ spec }) => spec.clusterIP),
  ]
    .filter((address) => address !== undefined && address !== 'None')
    .join(', ')
  const callers = selectPods(from)
  if (callers.length === 0 || addresses === '') throw new Error(`There are no pods of ${from} or of ${to}.`)
  for (const pod of callers)
    applyRules(
      id,
      pod,
      `table ip cut { chain out { type filter hook output priority 0; ip daddr { ${addresses} } meta l4proto tcp reject with tcp reset; }; }\n`,
    )
  return () => {
    for (const pod of callers) applyRules(id, pod, 'delete table ip cut\n')
  }
}
