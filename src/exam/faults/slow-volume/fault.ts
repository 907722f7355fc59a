/** Fault: an annotation limits the claim of a store to one write per second. */
import {
  type ClaimLimitKey,
  hasMount,
  injectChaosSet,
  mountsClaim,
  onClaimReleased,
  type PodChaosSet,
  readClaimLimit,
  removeChaosSet,
  restartTarget,
  setClaimLimit,
  toPlaybook,
  writtenStores,
} from '#exam/fault-parts'
import { defineFault, type FaultContext, type FaultTarget, type Hack, type SystemView, viewAs } from '#spec'

/** The paths at which stores mount their data. */
const DATA_PATHS = ['/data', '/data/db', '/var/lib/mysql']

/** Some real storage drivers support such annotations on claims. */
const LIMIT_ANNOTATION: ClaimLimitKey = 'csi.storage/write-iops'
/** Writes per second that do not slow the store down. */
const SUFFICIENT_IOPS = 200

/** Stores with a single pod and a claim, if users wait for their writes. */
const targetsOf = (system: SystemView): FaultTarget[] => {
  // Reads are served from memory: the fault slows only writes down.
  const written = writtenStores(system)
  return system.workloads
    .filter(({ service, replicas }) => replicas === 1 && written.has(service))
    .filter(({ service }) => system.impactOf(service).slow.length > 0)
    .flatMap((workload) => {
      const volume = DATA_PATHS.find((path) => hasMount(workload, path))
      const mount = workload.podSpec.containers[0]?.volumeMounts?.find(
        ({ mountPath }) => mountPath === volume,
      )
      const claim = workload.podSpec.volumes?.find(({ name }) => name === mount?.name)?.persistentVolumeClaim
        ?.claimName
      return volume === undefined || claim === undefined ? [] : [{ service: workload.service, volume, claim }]
    })
}

const toChaosSet = ({ target, params, share }: FaultContext): PodChaosSet => ({
  name: `slow-volume-${target.service}`,
  kind: 'IOChaos',
  isRemovedByFault: true,
  spec: {
    action: 'latency',
    volumePath: target.volume,
    methods: ['write', 'fsync', 'flush'],
    delay: `${params.delay}ms`,
    percent: Math.ceil(Number(params.percent) * share),
  },
  isEligible: (pod) => mountsClaim(pod, String(target.claim)),
})

const isFastEnough = (limit: string | undefined): boolean =>
  limit === undefined || Number(limit) >= SUFFICIENT_IOPS

const allowThreeWrites: Hack = {
  name: 'allow-three-writes-per-second',
  about: 'Allows three writes per second, which are still too few',
  act: (context) => setClaimLimit(context, LIMIT_ANNOTATION, '3'),
}

export const fault = defineFault({
  name: 'slow-volume',
  about: 'An annotation limits the claim of a store to one write per second, and its writes take seconds',
  category: 'disk-io',
  layer: 'virtualisation',
  type: 'network-storage-issue',
  otherTypes: ['misconfiguration'],
  binding: 'cause',
  parameters: {
    delay: {
      type: 'integer',
      about: 'The additional latency of a write',
      min: 1000,
      max: 5000,
      default: 2000,
      unit: 'ms',
    },
    percent: {
      type: 'integer',
      about: 'The share of writes that are delayed',
      min: 60,
      max: 100,
      default: 100,
      unit: '%',
    },
  },
  shapes: ['sudden', 'gradual', 'transient'],
  symptoms: [
    'all writes take seconds, even after a restart of the store',
    'the CPU of the store is idle: it waits for its volume',
    'an annotation of its claim limits the volume to very few writes',
  ],
  targets: targetsOf,
  async inject(context, before) {
    const chaos = toChaosSet(context)
    if (before === undefined) {
      await setClaimLimit(context, LIMIT_ANNOTATION, '1')
      await injectChaosSet(context, {}, chaos)
      await onClaimReleased(context, LIMIT_ANNOTATION, isFastEnough, () => removeChaosSet(context, chaos))
      return { claim: context.target.claim }
    }
    // Active chaos objects cannot be changed, only replaced. If the limit was removed, the fault is repaired.
    await removeChaosSet(context, chaos)
    if (!isFastEnough(await readClaimLimit(context, LIMIT_ANNOTATION)))
      await injectChaosSet(context, {}, chaos)
    return before
  },
  async recover(context) {
    await setClaimLimit(context, LIMIT_ANNOTATION, null)
    await removeChaosSet(context, toChaosSet(context))
  },
  isGone({ target, now }) {
    const claim = now.get('PersistentVolumeClaim', String(target.claim))
    const limit = claim && viewAs('PersistentVolumeClaim', claim).metadata?.annotations?.[LIMIT_ANNOTATION]
    return {
      holds: claim !== undefined && isFastEnough(limit),
      evidence: `the claim ${target.claim} ${claim === undefined ? 'does not exist' : limit === undefined ? 'has no limit' : `is limited to ${limit} writes per second`}`,
    }
  },
  fix: ({ system, target }) =>
    toPlaybook(`Remove the limit of the volume of ${target.service}`, [
      {
        name: 'Remove the annotation that limits the claim to one write per second',
        'kubernetes.core.k8s': {
          state: 'patched',
          api_version: 'v1',
          kind: 'PersistentVolumeClaim',
          namespace: system.namespace,
          name: target.claim,
          definition: { metadata: { annotations: { [LIMIT_ANNOTATION]: null } } },
        },
      },
    ]),
  hacks: [restartTarget, allowThreeWrites],
})
