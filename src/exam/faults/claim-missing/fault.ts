/** Fault: a workload mounts a claim that does not exist. */
import {
  addReplica,
  defineTemplateFault,
  mainContainer,
  patchTarget,
  podSpecOf,
  workloadIn,
} from '#exam/fault-parts'
import type { CauseSnapshot, FaultCase, Hack, PodSpecView } from '#spec'

const MOUNT_PATHS: Readonly<Record<string, string>> = {
  data: '/var/lib/data',
  cache: '/var/cache/service',
  uploads: '/srv/uploads',
}

interface Volume {
  readonly name: string
  readonly mountPath: string
  readonly claimName: string
}

const volumeOf = ({ target, params }: FaultCase): Volume => ({
  name: `${params.purpose}-volume`,
  mountPath: MOUNT_PATHS[params.purpose!]!,
  claimName: `${target.service}-${params.purpose}`,
})

const withVolume = (faultCase: FaultCase, volume: object, volumeMount: object): object => ({
  containers: [
    { name: mainContainer(faultCase.system, faultCase.target.service).name, volumeMounts: [volumeMount] },
  ],
  volumes: [volume],
})

type Claim = NonNullable<NonNullable<PodSpecView['volumes']>[number]['persistentVolumeClaim']>

const claimsOf = ({ volumes = [] }: PodSpecView): readonly Claim[] =>
  volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim ?? [])

const deployedClaims = ({ system, target }: FaultCase): readonly string[] =>
  claimsOf(system.workloadOf(target.service).podSpec).map(({ claimName }) => claimName)

/**
 * Whether the claim exists and belongs to the service: a deployed claim, or a new one that no other service mounts. The
 * service must not write to the data of others.
 */
const isOwnClaim = (snapshot: CauseSnapshot, claim: string): boolean => {
  const { system, target, baseline, now } = snapshot
  if (now.get('PersistentVolumeClaim', claim) === undefined) return false
  if (deployedClaims(snapshot).includes(claim)) return true
  const otherClaims = system.workloads
    .filter(({ service }) => service !== target.service)
    .map((workload) => workloadIn(now, workload))
    .flatMap((workload) => (workload === undefined ? [] : claimsOf(podSpecOf(workload))))
  const isNew = baseline.get('PersistentVolumeClaim', claim) === undefined
  return isNew && !otherClaims.some(({ claimName }) => claimName === claim)
}

const mountOtherClaim: Hack = {
  name: 'mount-another-claim',
  about: 'Mounts a claim of another service, if there is one',
  async act(context) {
    const { api, system } = context
    const claims = { apiVersion: 'v1', plural: 'persistentvolumeclaims', namespace: system.namespace }
    const { items } = await api.list(claims)
    const otherClaim = items.find(({ metadata }) => !deployedClaims(context).includes(metadata.name))
    if (otherClaim === undefined) return
    const { name } = volumeOf(context)
    const volume = { name, persistentVolumeClaim: { claimName: otherClaim.metadata.name } }
    await patchTarget(context, { template: { spec: { volumes: [volume] } } })
  },
}

export const fault = defineTemplateFault({
  name: 'claim-missing',
  about: 'A workload mounts a volume whose claim does not exist',
  category: 'pod-config-error',
  layer: 'virtualisation',
  type: 'dependency-problem',
  otherTypes: ['misconfiguration'],
  parameters: {
    purpose: {
      type: 'choice',
      about: 'The purpose of the volume',
      choices: Object.keys(MOUNT_PATHS),
      default: 'data',
    },
  },
  impactOnceReady: () => 'never-ready',
  symptoms: ['pods stay pending because a claim is missing', 'the service has no endpoints'],
  edit(faultCase) {
    const { name, mountPath, claimName } = volumeOf(faultCase)
    return withVolume(faultCase, { name, persistentVolumeClaim: { claimName } }, { name, mountPath })
  },
  undo(faultCase) {
    const { name, mountPath } = volumeOf(faultCase)
    return withVolume(faultCase, { name, $patch: 'delete' }, { mountPath, $patch: 'delete' })
  },
  taskName: 'Remove the volume',
  read: (workload) => claimsOf(podSpecOf(workload)),
  // Creating the claim is also a correct fix. Former claims of the service must stay.
  isAccepted: (claims, snapshot) => {
    const names = (claims as readonly Claim[]).map(({ claimName }) => claimName)
    return (
      deployedClaims(snapshot).every((claim) => names.includes(claim)) &&
      names.every((name) => isOwnClaim(snapshot, name))
    )
  },
  hacks: [addReplica, mountOtherClaim],
})
