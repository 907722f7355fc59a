/** A volume for which nobody has made the claim. */
import { addReplica, defineTemplateFault, mainContainer, podSpecOf } from '../../fault-parts/index.ts'
import type { FaultCase } from '../../spec/index.ts'

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

export const fault = defineTemplateFault({
  name: 'claim-missing',
  about: 'A workload mounts a volume whose claim does not exist',
  category: 'pod-config-error',
  layer: 'virtualisation',
  type: 'dependency-problem',
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
  isRight: (claims, { system, target, now }) => {
    const names = (claims as readonly Claim[]).map(({ claimName }) => claimName)
    const own = claimsOf(system.workloadOf(target.service).podSpec.volumes)
    return (
      own.every(({ claimName }) => names.includes(claimName)) &&
      names.every((name) => now.get('PersistentVolumeClaim', name) !== undefined)
    )
  },
  hacks: [addReplica],
})
