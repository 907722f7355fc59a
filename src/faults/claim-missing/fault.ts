/** A volume for which nobody has made the claim. */
import {
  addReplica,
  defineTemplateFault,
  mainContainer,
  patchTarget,
  podSpecOf,
  workloadIn,
} from '../../fault-parts/index.ts'
import type { FaultCase, Hack, Scene } from '../../spec/index.ts'

const MOUNTS: Readonly<Record<string, string>> = {
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
  mountPath: MOUNTS[params.purpose!]!,
  claimName: `${target.service}-${params.purpose}`,
})

const withVolume = (about: FaultCase, volume: object, volumeMount: object): object => ({
  containers: [{ name: mainContainer(about.system, about.target.service).name, volumeMounts: [volumeMount] }],
  volumes: [volume],
})

interface Claim {
  readonly claimName: string
}

const claimsOf = (volumes: readonly Readonly<Record<string, unknown>>[] = []): readonly Claim[] =>
  volumes.flatMap(({ persistentVolumeClaim }) => (persistentVolumeClaim as Claim | undefined) ?? [])

const ownClaims = ({ system, target }: FaultCase): readonly string[] =>
  claimsOf(system.workloadOf(target.service).podSpec.volumes).map(({ claimName }) => claimName)

/** Whether it is there, and for nobody else: what others keep in theirs is not this service's to write to. */
const isItsOwn = (scene: Scene, claim: string): boolean => {
  const { system, target, baseline, now } = scene
  if (now.get('PersistentVolumeClaim', claim) === undefined) return false
  if (ownClaims(scene).includes(claim)) return true
  const others = system.workloads
    .filter(({ service }) => service !== target.service)
    .map((workload) => workloadIn(now, workload))
    .flatMap((workload) => (workload === undefined ? [] : claimsOf(podSpecOf(workload).volumes)))
  const isNew = baseline.get('PersistentVolumeClaim', claim) === undefined
  return isNew && !others.some(({ claimName }) => claimName === claim)
}

const mountAnother: Hack = {
  name: 'mount-another-claim',
  about: 'Mounts a claim that belongs to another service, where there is one',
  async act(context) {
    const { api, system } = context
    const claims = { apiVersion: 'v1', plural: 'persistentvolumeclaims', namespace: system.namespace }
    const { items } = await api.list(claims)
    const other = items.find(({ metadata }) => !ownClaims(context).includes(metadata.name))
    if (other === undefined) return
    const { name } = volumeOf(context)
    const volume = { name, persistentVolumeClaim: { claimName: other.metadata.name } }
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
      about: 'What the volume is said to be for',
      choices: Object.keys(MOUNTS),
      default: 'data',
    },
  },
  symptoms: ['pods stay pending, for want of a claim', 'the service has no endpoints'],
  edit(about) {
    const { name, mountPath, claimName } = volumeOf(about)
    return withVolume(about, { name, persistentVolumeClaim: { claimName } }, { name, mountPath })
  },
  undo(about) {
    const { name, mountPath } = volumeOf(about)
    return withVolume(about, { name, $patch: 'delete' }, { mountPath, $patch: 'delete' })
  },
  fixName: 'Take the volume out again',
  look: (workload) => claimsOf(podSpecOf(workload).volumes),
  // Whoever makes the claim has mended it too; those that the service had it keeps.
  isRight: (claims, scene) => {
    const names = (claims as readonly Claim[]).map(({ claimName }) => claimName)
    return (
      ownClaims(scene).every((claim) => names.includes(claim)) && names.every((name) => isItsOwn(scene, name))
    )
  },
  hacks: [addReplica, mountAnother],
})
