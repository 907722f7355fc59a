/** A Secret that pods need is not there any more. */
import {
  changedKeys,
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
  otherTypes: ['dependency-problem'],
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
  isGone(scene) {
    const secret = String(scene.target.secret)
    const wrong = changedKeys(scene, secret)
    const there = scene.now.get('Secret', secret) !== undefined
    return {
      holds: there && wrong.length === 0,
      evidence: there
        ? `the Secret ${secret} is there, and ${wrong.length === 0 ? 'whole' : `has not what it had in ${wrong.join(', ')}`}`
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
