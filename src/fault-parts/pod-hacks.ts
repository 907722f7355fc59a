/** Cheap wrong answers to faults that sit in one pod. */
import type { Hack } from '../spec/index.ts'
import { type ChaosKind, chaosRef } from './chaos.ts'
import { ignoreMissing, isMissing } from './ignore-missing.ts'
import { podsOf } from './pods.ts'
import { replacePods } from './restart.ts'

/** Somebody who suffers is taken for the culprit; where nobody calls the service, its first neighbour is. */
export const restartNeighbours: Hack = {
  name: 'restart-neighbours',
  about: 'Restarts those who call the service, and not the service',
  async act(context) {
    const { system, target } = context
    const all = system.workloads.map(({ service }) => service)
    const callers = system.callersOf(target.service).filter((one) => all.includes(one))
    const called = system.edges.filter(({ from }) => from === target.service).map(({ to }) => to)
    const others = callers.length > 0 ? callers : called.filter((one) => all.includes(one))
    for (const service of new Set(others)) await replacePods(context, service)
  },
}

/** Its Service does not know it any more, but it runs on. */
export const hideThePod: Hack = {
  name: 'hide-the-pod',
  about: 'Takes the label away by which the pod is found, so that another one is made beside it',
  async act(context) {
    const { api, system, state } = context
    const ref = { apiVersion: 'v1', plural: 'pods', namespace: system.namespace, name: String(state.pod) }
    await ignoreMissing(api.patch(ref, 'merge', { metadata: { labels: { app: null } } }))
  },
}

/** The container starts again, in the same network and with the same pod around it. */
export const killTheProgram: Hack = {
  name: 'kill-the-program',
  about: 'Ends the first process in the pod that is hit',
  async act(context) {
    const { api, system, target, state } = context
    const pod = (await podsOf(context, target.service)).find(({ metadata }) => metadata.uid === state.uid)
    if (pod === undefined) return
    const ref = { namespace: system.namespace, name: pod.metadata.name }
    // The program may be gone before it has answered.
    await api.exec(ref, ['sh', '-c', 'kill -TERM 1; kill -INT 1'], { signal: context.signal }).catch(() => {})
  },
}

/** The object is gone at once, and what it did is still there. */
export const dropFinalizers = (kind: ChaosKind, name: string): Hack => ({
  name: 'drop-finalizers',
  about: 'Deletes the object of the laboratory without letting it take anything back',
  async act({ api, laboratory, target }) {
    const ref = chaosRef(laboratory, kind, `${name}-${target.service}`)
    try {
      await api.patch(ref, 'merge', { metadata: { finalizers: [] } })
      await api.delete(ref)
      await api.patch(ref, 'merge', { metadata: { finalizers: [] } })
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  },
})
