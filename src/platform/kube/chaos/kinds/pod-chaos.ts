/** PodChaos: kills pods and containers, and makes pods fail. */
import type { Container } from 'kubernetes-types/core/v1.d.ts'
import { pods } from '#platform/kube/kinds'
import { invalid } from '#platform/kube/meta'
import { type ApiInjection, defineChaosKind, type Injection } from '../chaos-kind.ts'
import { choiceOf, containerChoice, integer, POD_CHOICE_REQUIRED } from '../chaos-schema.ts'

/** An idle image, so that the pod serves no requests. */
const PAUSE_IMAGE = 'pause:latest'

const replaceImages = (
  { client, pod }: Injection,
  imageOf: (container: Container) => string | undefined,
): void => {
  const replaceIn = (list: readonly Container[]): Container[] =>
    list.map((container) => ({ ...container, image: imageOf(container) ?? '' }))
  const { containers, initContainers } = pod.spec
  const spec = {
    ...pod.spec,
    containers: replaceIn(containers),
    ...(initContainers === undefined ? {} : { initContainers: replaceIn(initContainers) }),
  }
  client.update(pods, { ...pod, spec })
}

const failure: ApiInjection = {
  snapshot: ({ pod: { metadata, spec } }) => ({
    uid: metadata.uid,
    images: Object.fromEntries(
      [...(spec.initContainers ?? []), ...spec.containers].map(({ name, image = '' }) => [name, image]),
    ),
  }),
  apply: (injection) => replaceImages(injection, () => PAUSE_IMAGE),
  recover(injection) {
    const { before } = injection.record
    // A new pod may have the same name, as in StatefulSets.
    if (before?.uid === injection.target.uid)
      replaceImages(injection, ({ name, image }) => before.images[name] ?? image)
  },
}

const kill: ApiInjection = {
  apply: ({ client, chaos: { spec }, pod }) =>
    client.delete(pods, pod.metadata.namespace ?? '', pod.metadata.name, {
      gracePeriodSeconds: spec.gracePeriod,
      preconditions: { uid: pod.metadata.uid },
    }),
  recover() {
    // A deleted pod cannot be restored.
  },
}

const API_ACTIONS: Readonly<Record<string, ApiInjection>> = { 'pod-kill': kill, 'pod-failure': failure }

export const podChaos = defineChaosKind({
  kind: 'PodChaos',
  hasAction: true,
  properties: {
    ...containerChoice,
    action: choiceOf('pod-kill', 'pod-failure', 'container-kill'),
    gracePeriod: integer({ format: 'int64', minimum: 0, default: 0 }),
  },
  required: ['action', ...POD_CHOICE_REQUIRED],
  validate: ({ action, containerNames = [] }) =>
    action === 'container-kill' && containerNames.length === 0
      ? [invalid('spec.containerNames', [], `the name of container is empty on ${action} action`)]
      : [],
  isOneShot: ({ action }) => action !== 'pod-failure',
  selections: (spec) => [
    { key: '.', level: spec.action === 'container-kill' ? 'container' : 'pod', choice: spec },
  ],
  byApi: ({ action }) => API_ACTIONS[action],
  faults: ({ containerTarget }) => [{ type: 'kill', target: containerTarget }],
})
