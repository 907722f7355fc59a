/** Fault: the volume of a store is too small for its data. */
import {
  defineTemplateFault,
  isEditable,
  mainContainer,
  patchTarget,
  patchTask,
  podSpecOf,
  replacePods,
  restartTask,
  runInStore,
  toPlaybook,
  waitUntil,
} from '#exam/fault-parts'
import {
  type ApiObject,
  type CauseSnapshot,
  defineFault,
  type FaultCase,
  type FaultContext,
  type FaultTarget,
  type Hack,
  JUDGING_RULES,
  type PodSpecView,
  quantityValue,
  type SystemView,
} from '#spec'

type Volume = NonNullable<PodSpecView['volumes']>[number]

/** The volume that holds the data of the store. */
const dataVolume = (system: SystemView, service: string): Volume | undefined => {
  const folder = system.topology?.services[service]?.behaviour.store?.folder
  if (folder === undefined) return undefined
  const mount = mainContainer(system, service).volumeMounts?.find(
    ({ mountPath }) => mountPath === JSON.parse(folder),
  )
  return system
    .workloadOf(service)
    .podSpec.volumes?.find(
      ({ name, emptyDir, persistentVolumeClaim }) =>
        name === mount?.name && (emptyDir !== undefined || persistentVolumeClaim !== undefined),
    )
}

/** Services that insert data into the store at their start. */
const seedersOf = ({ system, target }: Pick<FaultCase, 'system' | 'target'>): readonly string[] =>
  system.callersOf(target.service).filter((caller) => {
    const { start = [] } = system.topology?.services[caller]?.behaviour ?? {}
    return start.some(
      (step) => 'query' in step && step.query === target.service && step.mongo?.includes('"insert"'),
    )
  })

/**
 * Fills the volume of Redis, whose own writes are small, with a file that looks like an unfinished dump. MongoDB fills
 * its volume at its start.
 */
const fillVolume = async (context: FaultContext): Promise<void> => {
  const { system, target } = context
  const { protocol, store } = system.topology!.services[target.service]!.behaviour
  if (protocol !== 'redis') return
  const dumpFile = `${JSON.parse(store!.folder!)}/temp-1.rdb`
  await waitUntil(context, `${target.service} has filled its volume`, async () => {
    const command = ['sh', '-c', `head -c 1048576 /dev/zero > ${dumpFile}; test -s ${dumpFile}`]
    return runInStore(context, target.service, command).then(
      ({ exitCode }) => exitCode === 0,
      () => false,
    )
  })
}

const withVolume = ({ system, target }: FaultCase, source: object): object => ({
  volumes: [{ name: dataVolume(system, target.service)!.name, ...source }],
})

const memoryVolume = (kib: number): object => ({
  persistentVolumeClaim: null,
  emptyDir: { medium: 'Memory', sizeLimit: `${kib}Ki` },
})

const deployedVolume = ({ system, target }: FaultCase): object => {
  const { persistentVolumeClaim } = dataVolume(system, target.service)!
  return persistentVolumeClaim === undefined
    ? { emptyDir: { medium: null, sizeLimit: null } }
    : { emptyDir: null, persistentVolumeClaim }
}

const volumeIn = (workload: ApiObject, { system, target }: FaultCase): Volume | undefined =>
  (podSpecOf(workload).volumes ?? []).find(({ name }) => name === dataVolume(system, target.service)!.name)

/** More than any of these stores needs. */
const AMPLE_BYTES = 64 * 2 ** 20

/** The first version of the rules in which the data must be stored where it was: on disk, or in memory. */
const RULES_WITH_MEDIUM = 7

/**
 * Whether the volume was an emptyDir before the fault, and is now an emptyDir of the same medium with a sufficient size limit. What a
 * volume in memory holds counts against the memory of the store, and is lost with the node.
 */
const isAmple = (volume: unknown, { system, target, rules = JUDGING_RULES }: CauseSnapshot): boolean => {
  const { name: _, emptyDir, ...rest } = (volume ?? {}) as Partial<Volume>
  const former = dataVolume(system, target.service)!.emptyDir
  if (former === undefined || emptyDir === undefined || Object.keys(rest).length > 0) return false
  const isSameMedium = (emptyDir.medium ?? '') === (former.medium ?? '')
  if (rules >= RULES_WITH_MEDIUM && !isSameMedium) return false
  const { sizeLimit } = emptyDir
  return sizeLimit === undefined || (quantityValue(sizeLimit) ?? 0) >= AMPLE_BYTES
}

const doubleVolumeSize: Hack = {
  name: 'double-the-volume-size',
  about: 'Doubles the size of the volume and keeps it in memory',
  act: async (context) => {
    const kib = 2 * Number(context.params.kib)
    await patchTarget(context, { template: { spec: withVolume(context, memoryVolume(kib)) } })
  },
}

const keepInMemory: Hack = {
  name: 'enlarge-the-volume-in-memory',
  about: 'Makes the volume large enough and keeps it in memory, although it was on disk before',
  act: async (context) => {
    await patchTarget(context, { template: { spec: withVolume(context, memoryVolume(256 * 1024)) } })
  },
}

const targetsOf = (system: SystemView): FaultTarget[] =>
  system.workloads
    .filter((workload) => isEditable(workload) && dataVolume(system, workload.service) !== undefined)
    .filter(({ service }) =>
      // A service that cannot insert its data at its start does not become ready.
      [service, ...seedersOf({ system, target: { service } })].some(
        (candidate) => system.impactOf(candidate).down.length > 0,
      ),
    )
    .map(({ service }) => ({ service }))

const templateFault = defineTemplateFault({
  name: 'volume-full',
  about:
    'A store has a volume in memory of a few KiB instead of its own; the volume is full, and writes fail',
  category: 'disk-io',
  layer: 'virtualisation',
  type: 'network-storage-issue',
  otherTypes: ['misconfiguration', 'capacity-shortage'],
  parameters: {
    kib: { type: 'integer', about: 'The size of the volume', min: 4, max: 12, default: 8, unit: 'KiB' },
  },
  symptoms: ['the log of the store reports that no space is left on the device', 'stored data is missing'],
  targets: targetsOf,
  edit: (faultCase) => withVolume(faultCase, memoryVolume(Number(faultCase.params.kib))),
  undo: (faultCase) => withVolume(faultCase, deployedVolume(faultCase)),
  taskName: 'Restore the volume',
  read: volumeIn,
  isAccepted: isAmple,
  hacks: [doubleVolumeSize, keepInMemory],
})

/** Also restarts the services that insert data at their start, so that the fault has user impact. */
export const fault = defineFault({
  ...templateFault,
  async inject(context) {
    const state = await templateFault.inject(context)
    await fillVolume(context)
    for (const seeder of seedersOf(context)) await replacePods(context, seeder)
    return state
  },
  async recover(context, state) {
    await templateFault.recover(context, state)
    for (const seeder of seedersOf(context)) await replacePods(context, seeder)
  },
  scope: (faultCase) => ({ services: [faultCase.target.service, ...seedersOf(faultCase)] }),
  fix: (faultCase) =>
    toPlaybook(`Restore the volume of ${faultCase.target.service}`, [
      patchTask(
        'Mount the former volume',
        faultCase.system,
        faultCase.system.workloadOf(faultCase.target.service),
        {
          template: { spec: withVolume(faultCase, deployedVolume(faultCase)) },
        },
      ),
      ...seedersOf(faultCase).map((seeder) => restartTask(`Restart ${seeder}`, faultCase.system, seeder)),
    ]),
})
