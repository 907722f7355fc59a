/** Fault: a Secret that pods need was deleted. */
import {
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
} from '#exam/fault-parts'
import { defineFault } from '#spec'

export const fault = defineFault({
  name: 'secret-missing',
  about: 'A Secret was deleted, and pods with variables that refer to it do not start',
  category: 'pod-config-error',
  layer: 'virtualisation',
  type: 'operation-error',
  otherTypes: ['dependency-problem'],
  binding: 'cause',
  parameters: {},
  impactOnceReady: () => 'never-ready',
  symptoms: ['a container waits with CreateContainerConfigError', 'events report that a secret is not found'],
  targets: (system) =>
    essentialWorkloads(system).flatMap(({ service }) =>
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
  isGone: (snapshot) => judgeSecret(snapshot, String(snapshot.target.secret)),
  // The kubelet retries, but a restart is faster.
  fix: ({ system, target }) =>
    toPlaybook('Recreate the Secret', [
      secretTask('Create the Secret', system, String(target.secret)),
      restartTask('Restart the service', system, target.service),
    ]),
  hacks: [
    {
      name: 'empty-secret',
      about: 'Creates an empty Secret with that name',
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
    restartTarget,
  ],
})
