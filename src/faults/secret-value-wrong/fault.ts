/** A Secret has a password that the database does not take. */
import {
  changedKeys,
  deployedData,
  missedWorkloads,
  replacePods,
  restartTask,
  restartTheTarget,
  restoreSecret,
  secretRef,
  secretsOf,
  secretTask,
  toPlaybook,
  toSecretValue,
} from '../../fault-parts/index.ts'
import { defineFault } from '../../spec/index.ts'

/** Only of those who log in with it: a store takes for its own whatever it is told at its first start. */
const PASSWORD = /_PASSWORD$/

/** As somebody makes a new one who forgets the database. */
const rotated = (password: string, year: unknown): string => `${password}_${year}`

export const fault = defineFault({
  name: 'secret-value-wrong',
  about: 'The password in a Secret was changed and the one in the database was not',
  category: 'pod-config-error',
  layer: 'middleware',
  type: 'authentication-issue',
  otherTypes: ['misconfiguration'],
  binding: 'cause',
  parameters: {
    year: {
      type: 'integer',
      about: 'What is put behind the password',
      least: 2020,
      most: 2030,
      default: 2024,
    },
  },
  symptoms: ['the log says that access is denied for the user', 'the pod does not become ready'],
  targets: (system) =>
    missedWorkloads(system).flatMap(({ service }) =>
      secretsOf(system, service).flatMap((secret) =>
        Object.keys(deployedData(system, secret))
          .filter((key) => PASSWORD.test(key))
          .map((key) => ({ service, secret, key })),
      ),
    ),
  async inject(context) {
    const { api, system, target, params } = context
    const secret = String(target.secret)
    const wrong = toSecretValue(rotated(deployedData(system, secret)[target.key!]!, params.year))
    await api.patch(secretRef(system, secret), 'merge', { data: { [target.key!]: wrong } })
    await replacePods(context, target.service)
    return { wrong }
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
    toPlaybook('Put the password back that the database knows', [
      secretTask('Correct the Secret', system, String(target.secret)),
      restartTask('Start the service with it', system, target.service),
    ]),
  hacks: [
    restartTheTarget,
    {
      name: 'another-password',
      about: 'Puts a new password into the Secret, of which the database knows nothing either',
      async act(context) {
        const { api, system, target } = context
        await api.patch(secretRef(system, String(target.secret)), 'merge', {
          data: { [target.key!]: toSecretValue('changeme') },
        })
        await replacePods(context, target.service)
      },
    },
  ],
})
