/** A Secret has lost a key that pods take a variable from. */
import {
  changedKeys,
  deployedData,
  keysOf,
  missedWorkloads,
  replacePods,
  restartTask,
  restoreSecret,
  secretRef,
  secretsOf,
  secretTask,
  toPlaybook,
} from '../../fault-parts/index.ts'
import { defineFault, type FaultTarget, type SystemView } from '../../spec/index.ts'

/** Where all keys become variables, those by which the service finds and enters its database. */
const ENTRANCES = /_(HOST|USER|PASSWORD)$/

const targetsOf = (system: SystemView, service: string, secret: string): FaultTarget[] => {
  const named = keysOf(system, service, secret)
  const keys = named.length > 0 ? named : Object.keys(deployedData(system, secret))
  return keys
    .filter((key) => named.length > 0 || ENTRANCES.test(key))
    .map((key) => ({ service, secret, key }))
}

export const fault = defineFault({
  name: 'secret-key-missing',
  about: 'A key is gone from a Secret, and the pods that take a variable from it do not start any more',
  category: 'pod-config-error',
  layer: 'virtualisation',
  type: 'misconfiguration',
  otherTypes: ['operation-error', 'dependency-problem'],
  binding: 'cause',
  parameters: {},
  symptoms: [
    'the container cannot be made for want of a key, or ends at its start for want of a variable',
    'the Secret is there',
  ],
  targets: (system) =>
    missedWorkloads(system).flatMap(({ service }) =>
      secretsOf(system, service).flatMap((secret) => targetsOf(system, service, secret)),
    ),
  async inject(context) {
    const { api, system, target } = context
    await api.patch(secretRef(system, String(target.secret)), 'merge', { data: { [target.key!]: null } })
    await replacePods(context, target.service)
    return { key: target.key }
  },
  async recover(context) {
    await restoreSecret(context, String(context.target.secret))
    await replacePods(context, context.target.service)
  },
  isGone(scene) {
    const { target } = scene
    const wrong = changedKeys(scene, String(target.secret))
    return {
      holds: wrong.length === 0,
      evidence: `the Secret ${target.secret} has ${wrong.length === 0 ? 'what it had in every key' : `not what it had in ${wrong.join(', ')}`}`,
    }
  },
  fix: ({ system, target }) =>
    toPlaybook('Put the key back', [
      secretTask('Complete the Secret', system, String(target.secret)),
      restartTask('Start the service with it', system, target.service),
    ]),
  hacks: [
    {
      name: 'empty-key',
      about: 'Puts the key back with nothing behind it',
      async act(context) {
        const { api, system, target } = context
        await api.patch(secretRef(system, String(target.secret)), 'merge', { data: { [target.key!]: '' } })
        await replacePods(context, target.service)
      },
    },
    {
      name: 'restart-the-target',
      about: 'Deletes the pods of the service, whose Secret still lacks the key',
      act: (context) => replacePods(context, context.target.service),
    },
  ],
})
