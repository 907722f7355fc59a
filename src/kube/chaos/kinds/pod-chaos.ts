/** PodChaos: pods that are killed or made to fail, and containers that are killed. */
import type { Container } from 'kubernetes-types/core/v1.d.ts'
import { pods } from '../../kinds/index.ts'
import { invalid } from '../../meta/index.ts'
import { type ApiInjection, defineChaosKind, type Injection } from '../chaos-kind.ts'
import type { ChaosObject } from '../chaos-object.ts'
import { choiceOf, containerChoice, integer, POD_CHOICE_REQUIRED } from '../chaos-schema.ts'

/** Runs and does nothing, so that the pod serves no more. */
const PAUSE_IMAGE = 'pause:latest'
const LONGEST_NAME = 63

/** The annotation that keeps the image of a container for its recovery. */
const imageKey = ({ metadata, spec }: ChaosObject, container: string, role: 'init' | 'normal'): string => {
  const key = `chaos-mesh-${metadata.name}-${spec.action}-${container}-${role}-image`
  return key.length > LONGEST_NAME ? `${container}-${role}` : key
}

type Annotations = Record<string, string>
type Exchange = (container: Container, key: string, annotations: Annotations) => Container

const exchangeImages = ({ client, chaos, pod }: Injection, exchange: Exchange): void => {
  const annotations: Annotations = { ...pod.metadata.annotations }
  const all = (list: readonly Container[], role: 'init' | 'normal'): Container[] =>
    list.map((container) => exchange(container, imageKey(chaos, container.name, role), annotations))
  const { containers, initContainers } = pod.spec
  const spec = {
    ...pod.spec,
    containers: all(containers, 'normal'),
    ...(initContainers === undefined ? {} : { initContainers: all(initContainers, 'init') }),
  }
  client.update(pods, { ...pod, metadata: { ...pod.metadata, annotations }, spec })
}

const failure: ApiInjection = {
  apply: (injection) =>
    exchangeImages(injection, (container, key, annotations) => {
      if (key in annotations) return container
      annotations[key] = container.image ?? ''
      return { ...container, image: PAUSE_IMAGE }
    }),
  recover: (injection) =>
    exchangeImages(injection, (container, key, annotations) => {
      const { [key]: image } = annotations
      if (image === undefined) return container
      delete annotations[key]
      return { ...container, image }
    }),
}

const kill: ApiInjection = {
  apply: ({ client, chaos: { spec }, pod }) =>
    client.delete(pods, pod.metadata.namespace ?? '', pod.metadata.name, {
      gracePeriodSeconds: spec.gracePeriod,
      preconditions: { uid: pod.metadata.uid },
    }),
  recover() {
    // A killed pod does not come back by itself.
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
