/** A small cluster under a virtual clock with the chaos controller and fake faults, for tests. */
import type { Pod, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { onTestFinished } from 'vitest'
import { createRandom, createVirtualClock, deepFreeze, type VirtualClock } from '#kit'
import { runControllers } from '#platform/kube/controllers'
import { establishDefinitions, toKind } from '#platform/kube/custom'
import { customResourceDefinitions, events, namespaces, pods } from '#platform/kube/kinds'
import type { Draft, Stored } from '#platform/kube/meta'
import type { AdmissionPlugin, Client } from '#platform/kube/ports'
import { createResources } from '#platform/kube/resources'
import { chaosAdmission } from '../chaos-admission.ts'
import { createChaosController } from '../chaos-controller.ts'
import { chaosDefinitions } from '../chaos-definitions.ts'
import type { ChaosObject, ChaosRecord } from '../chaos-object.ts'
import { createFakeFaults, type FakeFaults } from './create-fake-faults.ts'

export interface ChaosCluster {
  readonly clock: VirtualClock
  readonly client: Client
  readonly faults: FakeFaults
  /** Creates a running pod; the Nth pod has the address 10.244.0.N. */
  runPod(name: string, draft?: Draft<Pod>): Stored<Pod>
  create(kind: string, name: string, spec: object, annotations?: Record<string, string>): ChaosObject
  get(kind: string, name: string): ChaosObject | undefined
  update(object: ChaosObject): void
  remove(kind: string, name: string): void
  records(kind: string, name: string): readonly ChaosRecord[]
  /** Returns strings such as `Selected True`. */
  conditions(kind: string, name: string): string[]
  /** Returns the events of an object in order, such as `Normal Applied: Successfully ...`. */
  eventsOf(name: string): string[]
}

const registerDefinitions = (resources: ReturnType<typeof createResources>): void => {
  for (const draft of chaosDefinitions) {
    const definition = resources.client.create(customResourceDefinitions, draft)
    const kind = toKind(definition)!
    resources.directory.register(definition.metadata.name, [kind])
  }
}

export const createChaosCluster = (
  seed = 'chaos',
  admission: readonly AdmissionPlugin[] = [],
): ChaosCluster => {
  const clock = createVirtualClock()
  const faults = createFakeFaults(clock)
  const resources = createResources({
    clock,
    random: createRandom(seed),
    store: { seal: deepFreeze },
    admission: [chaosAdmission, ...admission],
  })
  const client = resources.clientFor({ username: 'tester', groups: ['system:masters'] }, 'test')
  client.create(namespaces, { metadata: { name: 'default' } })
  registerDefinitions(resources)
  const errors: unknown[] = []
  const controllers = runControllers([establishDefinitions, createChaosController({ faults })], {
    ...resources,
    onError: (_, __, error) => errors.push(error),
  })
  onTestFinished(() => {
    controllers.stop()
    if (errors.length > 0) throw new AggregateError(errors, 'errors in the controller')
  })
  const kindOf = (kind: string) => client.kindOf('chaos-mesh.org/v1alpha1', kind)!
  const get = (kind: string, name: string) =>
    client.get(kindOf(kind), 'default', name) as ChaosObject | undefined
  let count = 0

  return {
    clock,
    client,
    faults,
    runPod(name, { metadata, spec, status } = {}) {
      count += 1
      const pod = client.create(pods, {
        metadata: { name, namespace: 'default', ...metadata },
        spec: { nodeName: 'node-1', containers: [{ name: 'c', image: 'web:1' }], ...spec } as PodSpec,
      })
      return client.updateStatus(pods, {
        ...pod,
        status: { phase: 'Running', podIP: `10.244.0.${count}`, ...status },
      })
    },
    create: (kind, name, spec, annotations = {}) =>
      client.create(kindOf(kind), {
        metadata: { name, namespace: 'default', annotations },
        spec,
      }) as unknown as ChaosObject,
    get,
    update: (object) => void client.update(kindOf(object.kind), object),
    remove: (kind, name) => client.delete(kindOf(kind), 'default', name),
    records: (kind, name) => get(kind, name)?.status?.experiment.containerRecords ?? [],
    conditions: (kind, name) =>
      (get(kind, name)?.status?.conditions ?? []).map(({ type, status }) => `${type} ${status}`),
    eventsOf: (name) =>
      client
        .list(events)
        .filter(({ involvedObject }) => involvedObject.name === name)
        .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
        .map(({ type, reason, message }) => `${type} ${reason}: ${message}`),
  }
}
