/** Fault: more users than the entry service can serve. */
import {
  addIneffectiveAutoscaler,
  addMemoryAutoscaler,
  addRemovingAutoscaler,
  addUsers,
  coresOf,
  entryBottlenecks,
  growableServices,
  growTask,
  inflateCpu,
  lastingCoresOf,
  mayStillGrow,
  RULES_WITH_LASTING_CAPACITY,
  replacePods,
  SURGE_FACTOR,
  scaleAnother,
  toPlaybook,
  usableCoresOf,
} from '#exam/fault-parts'
import { defineFault, type Hack, JUDGING_RULES } from '#spec'

const restartOverloaded: Hack = {
  name: 'restart-the-target',
  about: 'Replaces the overloaded pods with the same number of pods',
  act: (context) => replacePods(context, context.target.service),
}

/** The users stay, so the service needs at least this many times its former CPU. */
const MIN_CPU_FACTOR = 1.5
/** The first version of the rules that counts only ready pods, not pods that an autoscaler might add. */
const RULES_WITH_USABLE_CORES = 2
/** Users must be served for this long: arrivals vary, and a queue takes time to build up. */
const SERVED_FOR_MS = 5000
/** Manifests use millicores; smaller differences are rounding errors. */
const toMillicores = (cores: number): number => Math.round(cores * 1000)

const coresFor = (rules: number): typeof coresOf => {
  if (rules < RULES_WITH_USABLE_CORES) return coresOf
  return rules < RULES_WITH_LASTING_CAPACITY ? usableCoresOf : lastingCoresOf
}

export const fault = defineFault({
  name: 'traffic-surge',
  about: 'More users arrive than the entry service and its upstreams can serve with their CPU',
  category: 'cpu-stress',
  layer: 'hardware',
  type: 'capacity-shortage',
  otherLayers: ['application', 'virtualisation'],
  binding: 'cause',
  parameters: { factor: SURGE_FACTOR },
  shapes: ['sudden', 'gradual', 'transient'],
  symptoms: [
    'the entry service receives far more requests than usual',
    'its CPU is at the limit and throttled',
    'all journeys become slow although nothing was changed',
  ],
  targets: (system) => entryBottlenecks(system).map((service) => ({ service })),
  async inject(context) {
    await addUsers(context)
    return { factor: context.params.factor }
  },
  recover: ({ users }) => users.multiply(1),
  servedForMs: SERVED_FOR_MS,
  isGone(snapshot) {
    const { baseline, rules = JUDGING_RULES } = snapshot
    const coresIn = coresFor(rules)
    const [before, now] = [coresIn(baseline, snapshot), coresIn(snapshot.now, snapshot)]
    return {
      holds: toMillicores(now) >= toMillicores(before * MIN_CPU_FACTOR),
      isPending: rules >= RULES_WITH_USABLE_CORES && mayStillGrow(snapshot.now, snapshot),
      evidence: `${snapshot.target.service} can use ${now} cores (${before} before the fault)`,
    }
  },
  scope: ({ system, target }) => ({ services: growableServices(system, target.service) }),
  fix: (faultCase) =>
    toPlaybook(`Add capacity to ${faultCase.target.service}`, [
      growTask('Raise the CPU limits of all services that every journey needs', faultCase),
    ]),
  hacks: [
    restartOverloaded,
    scaleAnother,
    inflateCpu,
    addIneffectiveAutoscaler,
    addRemovingAutoscaler,
    addMemoryAutoscaler,
  ],
})
