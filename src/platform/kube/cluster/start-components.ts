/** Starts the components of a cluster: controllers, scheduler and one kubelet per node. */
import { defined } from '#kit'
import { chaosDefinitions, createChaosController } from '#platform/kube/chaos'
import { clusterControllers, runControllers, workloadControllers } from '#platform/kube/controllers'
import { establishDefinitions } from '#platform/kube/custom'
import { customResourceDefinitions } from '#platform/kube/kinds'
import { createKubelet, type Kubelet } from '#platform/kube/node'
import { systemAccount } from '#platform/kube/ports'
import { createScheduler } from '#platform/kube/scheduler'
import type { ClusterOptions } from './cluster-options.ts'
import type { ControlPlane, ReportError } from './create-control-plane.ts'
import { defaultNodes } from './default-nodes.ts'
import { createPodUsage } from './pod-usage.ts'
import { serveDefinitions } from './serve-definitions.ts'

export interface Components {
  readonly kubelets: ReadonlyMap<string, Kubelet>
  stop(): void
}

const startControllers = (plane: ControlPlane, options: ClusterOptions, report: ReportError) => {
  const { resources, authority, nodes, tokens } = plane
  const { faults, volumes } = options
  if (faults !== undefined)
    for (const definition of chaosDefinitions) resources.client.create(customResourceDefinitions, definition)
  return runControllers(
    [
      establishDefinitions,
      ...workloadControllers,
      ...clusterControllers({
        rootCertificate: authority?.certificate ?? '',
        metrics: createPodUsage(resources.client, nodes),
        ...defined({ volumes }),
        tokens,
      }),
      ...(faults === undefined ? [] : [createChaosController({ faults })]),
    ],
    { ...resources, onError: (name, key, error) => report(`${name} ${key}`, error) },
  )
}

const startKubelets = (
  plane: ControlPlane,
  options: ClusterOptions,
  report: ReportError,
): Map<string, Kubelet> => {
  const { resources, nodes, tokens } = plane
  const { clock, random, diskCheckMs, storageAllowance } = options
  const kubelets = new Map<string, Kubelet>()
  for (const [index, node] of (options.nodes ?? defaultNodes()).entries()) {
    const runtime = options.runtimeFor(node, index)
    nodes.add(node.name, runtime)
    const user = { username: `system:node:${node.name}`, groups: ['system:nodes', 'system:authenticated'] }
    const kubelet = createKubelet({
      node,
      client: resources.clientFor(user, 'kubelet'),
      clock,
      random,
      events: resources.recorderFor('kubelet', node.name),
      runtime,
      onError: report,
      tokens,
      ...defined({ diskCheckMs, storageAllowance }),
    })
    kubelets.set(node.name, kubelet)
  }
  return kubelets
}

export const startComponents = (
  plane: ControlPlane,
  options: ClusterOptions,
  report: ReportError,
): Components => {
  const { resources } = plane
  const stopDefinitions = serveDefinitions(resources.client, resources.directory)
  const controllers = startControllers(plane, options, report)
  const scheduler = createScheduler({
    client: resources.clientFor(systemAccount('kube-scheduler'), 'kube-scheduler'),
    clock: options.clock,
    random: options.random,
    events: resources.seriesRecorderFor('default-scheduler'),
    onError: report,
  })
  const kubelets = startKubelets(plane, options, report)
  return {
    kubelets,
    stop() {
      for (const kubelet of kubelets.values()) kubelet.stop()
      scheduler.stop()
      controllers.stop()
      stopDefinitions()
    },
  }
}
