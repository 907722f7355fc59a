/** Fault: a Secret lacks a key that a variable refers to. */
import {
  deployedData,
  essentialWorkloads,
  judgeSecret,
  keysOf,
  replacePods,
  restartTask,
  restoreSecret,
  secretRef,
  secretsOf,
  secretTask,
  toPlaybook,
} from '#exam/fault-parts'
import { defineFault, type FaultTarget, type SystemView } from '#spec'

/** Keys that services need to connect to their database. Applies to Secrets whose keys all become variables. */
const CONNECTION_KEYS = /_(HOST|USER|PASSWORD)$/

const targetsOf = (system: SystemView, service: string, secret: string): FaultTarget[] => {
  const referencedKeys = keysOf(system, service, secret)
  const keys = referencedKeys.length > 0 ? referencedKeys : Object.keys(deployedData(system, secret))
  return keys
    .filter((key) => referencedKeys.length > 0 || CONNECTION_KEYS.test(key))
    .map((key) => ({ service, secret, key }))
}

export const fault = defineFault({
  name: 'secret-key-missing',
  about: 'A key of a Secret was removed, and pods with a variable that refers to it do not start',
  category: 'pod-config-error',
  layer: 'virtualisation',
  type: 'misconfiguration',
  otherTypes: ['operation-error', 'dependency-problem'],
  binding: 'cause',
  parameters: {},
  impactOnceReady: () => 'never-ready',
  symptoms: [
    'the container cannot be created because a key is missing, or exits at its start because a variable is missing',
    'the Secret exists',
  ],
  targets: (system) =>
    essentialWorkloads(system).flatMap(({ service }) =>
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
  isGone: (snapshot) => judgeSecret(snapshot, String(snapshot.target.secret)),
  fix: ({ system, target }) =>
    toPlaybook('Restore the key', [
      secretTask('Restore the Secret', system, String(target.secret)),
      restartTask('Restart the service', system, target.service),
    ]),
  hacks: [
    {
      name: 'empty-key',
      about: 'Restores the key with an empty value',
      async act(context) {
        const { api, system, target } = context
        await api.patch(secretRef(system, String(target.secret)), 'merge', { data: { [target.key!]: '' } })
        await replacePods(context, target.service)
      },
    },
    {
      name: 'restart-the-target',
      about: 'Deletes the pods of the service; the Secret still lacks the key',
      act: (context) => replacePods(context, context.target.service),
    },
  ],
})
