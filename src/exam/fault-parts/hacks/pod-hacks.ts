/** Hacks against faults inside one pod. */
import { type Hack, isNotFound } from '#spec'
import { ignoreMissing } from '../ignore-missing.ts'
import { type ChaosKind, chaosRef } from '../pods/chaos.ts'
import { podsOf } from '../pods/pods-of.ts'
import { replacePods } from '../workloads/replace-pods.ts'

export const restartCallersOrUpstreams: Hack = {
  name: 'restart-callers-or-upstreams',
  about: 'Restarts the callers of the service, or its upstreams if it has no callers, instead of the service',
  async act(context) {
    const { system, target } = context
    const services = system.workloads.map(({ service }) => service)
    const callers = system.callersOf(target.service).filter((service) => services.includes(service))
    const upstreams = system.edges.filter(({ from }) => from === target.service).map(({ to }) => to)
    const restarted = callers.length > 0 ? callers : upstreams.filter((service) => services.includes(service))
    for (const service of new Set(restarted)) await replacePods(context, service)
  },
}

/** The Service no longer routes to the pod, but the pod still runs. */
export const removePodLabel: Hack = {
  name: 'remove-the-label-of-the-pod',
  about: 'Removes the label of the pod, so that its workload creates another pod',
  async act(context) {
    const { api, system, state } = context
    const ref = { apiVersion: 'v1', plural: 'pods', namespace: system.namespace, name: String(state.pod) }
    await ignoreMissing(api.patch(ref, 'merge', { metadata: { labels: { app: null } } }))
  },
}

/** The container restarts in the same pod and network. */
export const killProgram: Hack = {
  name: 'kill-the-program',
  about: 'Kills the main process in the affected pod',
  async act(context) {
    const { api, system, target, state } = context
    const pod = (await podsOf(context, target.service)).find(({ metadata }) => metadata.uid === state.uid)
    if (pod === undefined) return
    const ref = { namespace: system.namespace, name: pod.metadata.name }
    // The process may end before the command returns.
    await api.exec(ref, ['sh', '-c', 'kill -TERM 1; kill -INT 1'], { signal: context.signal }).catch(() => {})
  },
}

/** The object is deleted at once, but its effect remains. */
export const deleteWithoutFinalizers = (kind: ChaosKind, name: string): Hack => ({
  name: 'delete-the-chaos-object-without-finalizers',
  about: 'Deletes the chaos object without its finalizers, so that it reverts nothing',
  async act({ api, laboratory, target }) {
    const ref = chaosRef(laboratory, kind, `${name}-${target.service}`)
    try {
      await api.patch(ref, 'merge', { metadata: { finalizers: [] } })
      await api.delete(ref)
      await api.patch(ref, 'merge', { metadata: { finalizers: [] } })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  },
})
