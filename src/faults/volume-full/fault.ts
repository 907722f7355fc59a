/** A store whose volume is too small for what it has to keep. */
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
  until,
} from '../../fault-parts/index.ts'
import {
  type ApiObject,
  defineFault,
  type FaultCase,
  type FaultContext,
  type FaultTarget,
  type Hack,
  quantityValue,
  type Scene,
  type SystemView,
} from '../../spec/index.ts'

type Volume = Readonly<Record<string, unknown>> & { readonly name: string }

const volumesOf = (system: SystemView, service: string): readonly Volume[] =>
  (system.workloadOf(service).podSpec.volumes ?? []) as readonly Volume[]

/** The one that the store keeps its data in. */
const dataVolume = (system: SystemView, service: string): Volume | undefined => {
  const folder = system.topology?.services[service]?.behaviour.store?.folder
  if (folder === undefined) return undefined
  const mount = mainContainer(system, service).volumeMounts?.find(
    ({ mountPath }) => mountPath === JSON.parse(folder),
  )
  return volumesOf(system, service).find(
    ({ name, emptyDir, persistentVolumeClaim }) =>
      name === mount?.name && (emptyDir !== undefined || persistentVolumeClaim !== undefined),
  )
}

/** Those who put something into the store before they serve. */
const seedersOf = ({ system, target }: Pick<FaultCase, 'system' | 'target'>): readonly string[] =>
  system.callersOf(target.service).filter((caller) => {
    const { start = [] } = system.topology?.services[caller]?.behaviour ?? {}
    return start.some(
      (step) => 'query' in step && step.query === target.service && step.mongo?.includes('"insert"'),
    )
  })

/** Redis writes little at a time: what is left of a dump takes the rest of the room. MongoDB needs more at its start. */
const fill = async (context: FaultContext): Promise<void> => {
  const { system, target } = context
  const { wire, store } = system.topology!.services[target.service]!.behaviour
  if (wire !== 'redis') return
  const rest = `${JSON.parse(store!.folder!)}/temp-1.rdb`
  await until(context, `${target.service} has filled its volume`, async () => {
    const command = ['sh', '-c', `head -c 1048576 /dev/zero > ${rest}; test -s ${rest}`]
    return runInStore(context, target.service, command).then(
      ({ exitCode }) => exitCode === 0,
      () => false,
    )
  })
}

const withVolume = ({ system, target }: FaultCase, source: object): object => ({
  volumes: [{ name: dataVolume(system, target.service)!.name, ...source }],
})

const inMemory = (kib: number): object => ({
  persistentVolumeClaim: null,
  emptyDir: { medium: 'Memory', sizeLimit: `${kib}Ki` },
})

const asDeployed = ({ system, target }: FaultCase): object => {
  const { persistentVolumeClaim } = dataVolume(system, target.service)!
  return persistentVolumeClaim === undefined
    ? { emptyDir: { medium: null, sizeLimit: null } }
    : { emptyDir: null, persistentVolumeClaim }
}

const volumeIn = (workload: ApiObject, { system, target }: FaultCase): unknown =>
  (podSpecOf(workload).volumes ?? []).find(({ name }) => name === dataVolume(system, target.service)!.name)

/** Bytes: more than any of these stores comes to keep. */
const AMPLE = 64 * 2 ** 20

/** An empty folder was one before the fault, too, and will do with any bound that is never reached. */
const isAmple = (volume: unknown, { system, target }: Scene): boolean => {
  const { name: _, emptyDir, ...others } = (volume ?? {}) as Partial<Volume>
  const wasEmptyDir = dataVolume(system, target.service)!.emptyDir !== undefined
  if (!wasEmptyDir || emptyDir === undefined || Object.keys(others).length > 0) return false
  const { sizeLimit } = (emptyDir ?? {}) as { sizeLimit?: string }
  return sizeLimit === undefined || (quantityValue(sizeLimit) ?? 0) >= AMPLE
}

const aLittleMore: Hack = {
  name: 'a-little-more',
  about: 'Makes the volume a little larger, and leaves it in memory',
  act: async (context) => {
    const kib = 2 * Number(context.params.kib)
    await patchTarget(context, { template: { spec: withVolume(context, inMemory(kib)) } })
  },
}

const targetsOf = (system: SystemView): FaultTarget[] =>
  system.workloads
    .filter((one) => isEditable(one) && dataVolume(system, one.service) !== undefined)
    .filter(({ service }) =>
      // Whoever cannot fill the store when he is started again does not come up.
      [service, ...seedersOf({ system, target: { service } })].some(
        (one) => system.impactOf(one).down.length > 0,
      ),
    )
    .map(({ service }) => ({ service }))

const edited = defineTemplateFault({
  name: 'volume-full',
  about:
    'A store was given a volume in memory of a few KiB instead of its own, which is full at once: writes fail',
  category: 'disk-io',
  layer: 'virtualisation',
  type: 'network-storage-issue',
  otherTypes: ['misconfiguration', 'capacity-shortage'],
  parameters: {
    kib: { type: 'integer', about: 'What there is room for', least: 4, most: 12, default: 8, unit: 'KiB' },
  },
  symptoms: ['the log of the store says that no space is left on the device', 'what was stored is not there'],
  targets: targetsOf,
  edit: (about) => withVolume(about, inMemory(Number(about.params.kib))),
  undo: (about) => withVolume(about, asDeployed(about)),
  fixName: 'Give it its volume back',
  look: volumeIn,
  isRight: isAmple,
  hacks: [aLittleMore],
})

/** Who fills the store at his start is started again, and would hide it otherwise. */
export const fault = defineFault({
  ...edited,
  async inject(context) {
    const state = await edited.inject(context)
    await fill(context)
    for (const seeder of seedersOf(context)) await replacePods(context, seeder)
    return state
  },
  async recover(context, state) {
    await edited.recover(context, state)
    for (const seeder of seedersOf(context)) await replacePods(context, seeder)
  },
  scope: (about) => ({ services: [about.target.service, ...seedersOf(about)] }),
  fix: (about) =>
    toPlaybook(`Give ${about.target.service} its volume back`, [
      patchTask('Mount the volume that it had', about.system, about.system.workloadOf(about.target.service), {
        template: { spec: withVolume(about, asDeployed(about)) },
      }),
      ...seedersOf(about).map((seeder) => restartTask(`Start ${seeder} again`, about.system, seeder)),
    ]),
})
