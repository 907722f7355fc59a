/** A Secret that pods need is not there any more. */
import {
  dataIn,
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
} from '../../fault-parts/index.ts'
import { defineFault } from '../../spec/index.ts'

export const fault = defineFault({
  name: 'secret-missing',
  about: 'A Secret was deleted, and the pods that take variables from it do not start any more',
  category: 'pod-config-error',
  layer: 'virtualisation',
  type: 'operation-error',
  binding: 'cause',
  parameters: {},
  symptoms: ['a container waits with CreateContainerConfigError', 'events say that a secret is not found'],
  targets: (system) =>
    missedWorkloads(system).flatMap(({ service }) =>
      secretsOf(system, service).map((secret) => ({ service, secret })),
    ),
  async inject(context) {
    const { api, system, target } = context
    await api.delete(secretRef(system, String(target.secret)))
    await replacePods(context, target.service)
    return { secret: target.secret }
  },
  async recover(context) {
    await restoreSecret(context, String(context.target.secret))
    await replacePods(context, context.target.service)
  },
  isGone({ system, target, now }) {
    const secret = String(target.secret)
    const has = Object.keys(dataIn(now.get('Secret', secret)))
    const missing = Object.keys(deployedData(system, secret)).filter((key) => !has.includes(key))
    const there = now.get('Secret', secret) !== undefined
    return {
      holds: there && missing.length === 0,
      evidence: there
        ? `the Secret ${secret} is there, and ${missing.length === 0 ? 'whole' : `lacks ${missing.join(', ')}`}`
        : `there is no Secret ${secret}`,
    }
  },
  // The kubelet tries again by itself; a new pod need not wait for that.
  fix: ({ system, target }) =>
    toPlaybook('Make the Secret again', [
      secretTask('Make the Secret', system, String(target.secret)),
      restartTask('Start the service with it', system, target.service),
    ]),
  hacks: [
    {
      name: 'empty-secret',
      about: 'Makes a Secret of that name with nothing in it',
      async act({ api, system, target }) {
        await api.create(
          { apiVersion: 'v1', plural: 'secrets', namespace: system.namespace },
          {
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { name: target.secret, namespace: system.namespace },
          },
        )
      },
    },
    restartTheTarget,
  ],
})
