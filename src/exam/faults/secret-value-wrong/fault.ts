/** Fault: a Secret holds a password that the database rejects. */
import {
  deployedData,
  essentialWorkloads,
  judgeSecret,
  replacePods,
  restartTarget,
  restartTask,
  restoreSecret,
  secretRef,
  secretsOf,
  secretTask,
  toPlaybook,
  toSecretValue,
} from '#exam/fault-parts'
import { defineFault } from '#spec'

/** Matches only keys in Secrets of clients: a store accepts any password at its first start. */
const PASSWORD_KEY = /_PASSWORD$/

/** A rotated password that the database does not have. */
const rotatePassword = (password: string, year: unknown): string => `${password}_${year}`

export const fault = defineFault({
  name: 'secret-value-wrong',
  about: 'The password in a Secret was changed, but not in the database',
  category: 'pod-config-error',
  layer: 'middleware',
  type: 'authentication-issue',
  otherTypes: ['misconfiguration'],
  binding: 'cause',
  parameters: {
    year: {
      type: 'integer',
      about: 'The suffix of the new password',
      min: 2020,
      max: 2030,
      default: 2024,
    },
  },
  impactOnceReady: () => 'never-ready',
  symptoms: ['the log reports that access is denied for the user', 'the pod does not become ready'],
  targets: (system) =>
    essentialWorkloads(system).flatMap(({ service }) =>
      secretsOf(system, service).flatMap((secret) =>
        Object.keys(deployedData(system, secret))
          .filter((key) => PASSWORD_KEY.test(key))
          .map((key) => ({ service, secret, key })),
      ),
    ),
  async inject(context) {
    const { api, system, target, params } = context
    const secret = String(target.secret)
    const wrong = toSecretValue(rotatePassword(deployedData(system, secret)[target.key!]!, params.year))
    await api.patch(secretRef(system, secret), 'merge', { data: { [target.key!]: wrong } })
    await replacePods(context, target.service)
    return { wrong }
  },
  async recover(context) {
    await restoreSecret(context, String(context.target.secret))
    await replacePods(context, context.target.service)
  },
  isGone: (snapshot) => judgeSecret(snapshot, String(snapshot.target.secret)),
  fix: ({ system, target }) =>
    toPlaybook('Restore the password of the database', [
      secretTask('Restore the Secret', system, String(target.secret)),
      restartTask('Restart the service', system, target.service),
    ]),
  hacks: [
    restartTarget,
    {
      name: 'set-another-wrong-password',
      about: 'Sets a new password in the Secret that the database does not have either',
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
