/** The claim of a store is held to a handful of writes a second. */
import {
  type ClaimLimit,
  claimLimitIn,
  hasMount,
  makeNodeWell,
  makeSick,
  mountsClaim,
  type NodeSickness,
  restartTheTarget,
  setClaimLimit,
  toPlaybook,
  whenClaimIsFree,
  writtenStores,
} from '../../fault-parts/index.ts'
import {
  defineFault,
  type FaultContext,
  type FaultTarget,
  type Hack,
  type SystemView,
} from '../../spec/index.ts'

/** Where stores keep what they must not forget. */
const DATA = ['/data', '/data/db', '/var/lib/mysql']

/** As drivers of storage know it that change volumes by notes on their claims. */
const LIMIT: ClaimLimit = 'csi.storage/write-iops'
/** With so many writes a second nobody waits for the volume. */
const ENOUGH = 200

interface Volume {
  readonly name: string
  readonly persistentVolumeClaim?: { readonly claimName: string }
}

/** Stores of one pod that users wait for when they write, and whose volume is not gone with the pod. */
const stores = (system: SystemView): FaultTarget[] => {
  // All that is only read comes from memory.
  const written = writtenStores(system)
  return system.workloads
    .filter(({ service, replicas }) => replicas === 1 && written.has(service))
    .filter(({ service }) => system.impactOf(service).slow.length > 0)
    .flatMap((workload) => {
      const volume = DATA.find((path) => hasMount(workload, path))
      const mount = workload.podSpec.containers[0]?.volumeMounts?.find(
        ({ mountPath }) => mountPath === volume,
      )
      const volumes = (workload.podSpec.volumes ?? []) as unknown as readonly Volume[]
      const claim = volumes.find(({ name }) => name === mount?.name)?.persistentVolumeClaim?.claimName
      return volume === undefined || claim === undefined ? [] : [{ service: workload.service, volume, claim }]
    })
}

const toSickness = ({ target, params, share }: FaultContext): NodeSickness => ({
  name: `slow-volume-${target.service}`,
  kind: 'IOChaos',
  comesAndGoes: true,
  spec: {
    action: 'latency',
    volumePath: target.volume,
    methods: ['write', 'fsync', 'flush'],
    delay: `${params.delay}ms`,
    percent: Math.ceil(Number(params.percent) * share),
  },
  isFit: (pod) => mountsClaim(pod, String(target.claim)),
})

const isFree = (limit: string | undefined): boolean => limit === undefined || Number(limit) >= ENOUGH

const aLittleMore: Hack = {
  name: 'a-few-writes-more',
  about: 'Allows three times as many writes, which are as good as none',
  act: (context) => setClaimLimit(context, LIMIT, '3'),
}

export const fault = defineFault({
  name: 'slow-volume',
  about: 'The claim of a store is held to one write a second, and what the store writes takes seconds',
  category: 'disk-io',
  layer: 'virtualisation',
  type: 'network-storage-issue',
  otherTypes: ['misconfiguration'],
  binding: 'cause',
  parameters: {
    delay: {
      type: 'integer',
      about: 'How much longer it takes',
      least: 1000,
      most: 5000,
      default: 2000,
      unit: 'ms',
    },
    percent: { type: 'integer', about: 'How much of it', least: 60, most: 100, default: 100, unit: '%' },
  },
  shapes: ['sudden', 'gradual', 'transient'],
  symptoms: [
    'whatever changes data takes seconds, also after a restart of the store',
    'the store is idle: it waits for its volume',
    'a note on its claim holds the volume to next to no writes',
  ],
  targets: stores,
  async inject(context, before) {
    const sickness = toSickness(context)
    if (before === undefined) {
      await setClaimLimit(context, LIMIT, '1')
      await makeSick(context, {}, sickness)
      await whenClaimIsFree(context, LIMIT, isFree, () => makeNodeWell(context, sickness))
      return { claim: context.target.claim }
    }
    // What is in force cannot be changed, only replaced; and whoever has freed the claim has mended it.
    await makeNodeWell(context, sickness)
    if (!isFree(await claimLimitIn(context, LIMIT))) await makeSick(context, {}, sickness)
    return before
  },
  async recover(context) {
    await setClaimLimit(context, LIMIT, null)
    await makeNodeWell(context, toSickness(context))
  },
  isGone({ target, now }) {
    const claim = now.get('PersistentVolumeClaim', String(target.claim))
    const limit = (claim?.metadata.annotations as Record<string, string> | undefined)?.[LIMIT]
    return {
      holds: claim !== undefined && isFree(limit),
      evidence: `the claim ${target.claim} ${claim === undefined ? 'is gone' : `is held to ${limit === undefined ? 'nothing' : `${limit} writes a second`}`}`,
    }
  },
  fix: ({ system, target }) =>
    toPlaybook(`Let the volume of ${target.service} be written as before`, [
      {
        name: 'Take the note away that holds the claim to one write a second',
        'kubernetes.core.k8s': {
          state: 'patched',
          api_version: 'v1',
          kind: 'PersistentVolumeClaim',
          namespace: system.namespace,
          name: target.claim,
          definition: { metadata: { annotations: { [LIMIT]: null } } },
        },
      },
    ]),
  hacks: [restartTheTarget, aLittleMore],
})
