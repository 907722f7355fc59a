/** Many more users than the entry was made for. */
import {
  coresOf,
  growableServices,
  growTask,
  inflateCpu,
  letUsersCome,
  overrunServices,
  replacePods,
  SURGE_FACTOR,
  scaleAnother,
  toPlaybook,
} from '../../fault-parts/index.ts'
import { defineFault, type Hack } from '../../spec/index.ts'

const restartIt: Hack = {
  name: 'restart-the-target',
  about: 'Replaces the pods that are overrun by as many others',
  act: (context) => replacePods(context, context.target.service),
}

/** The users stay, so what can be gone is the shortage: this much more than there was. */
const ENOUGH = 1.5
/** CPU is written in these; what is less is an error of reckoning. */
const thousandths = (cores: number): number => Math.round(cores * 1000)

export const fault = defineFault({
  name: 'traffic-surge',
  about:
    'Many more users come than the entry and what it needs for all of them can serve with the CPU that they have',
  category: 'cpu-stress',
  layer: 'hardware',
  type: 'capacity-shortage',
  otherLayers: ['application', 'virtualisation'],
  binding: 'cause',
  parameters: { factor: SURGE_FACTOR },
  shapes: ['sudden', 'gradual', 'transient'],
  symptoms: [
    'far more requests than usual at the entry',
    'its CPU is at the limit and throttled',
    'all journeys become slow, and nothing has been changed',
  ],
  targets: (system) => overrunServices(system).map((service) => ({ service })),
  async inject(context) {
    await letUsersCome(context)
    return { factor: context.params.factor }
  },
  recover: ({ users }) => users.multiply(1),
  isGone(scene) {
    const [before, now] = [coresOf(scene.baseline, scene), coresOf(scene.now, scene)]
    return {
      holds: thousandths(now) >= thousandths(before * ENOUGH),
      evidence: `${scene.target.service} may use ${now} cores, and ${before} before`,
    }
  },
  scope: ({ system }) => ({ services: growableServices(system) }),
  fix: (about) =>
    toPlaybook(`Give ${about.target.service} what the users need`, [
      growTask('Raise the CPU limits of all that every user needs', about),
    ]),
  hacks: [restartIt, scaleAnother, inflateCpu],
})
