/** The hooks that run after a container has started and before it is stopped. */
import type { LifecycleHandler, Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '../meta/index.ts'
import { attempt } from './attempt.ts'
import { type ContainerRecord, fieldPathOf, podText } from './container-record.ts'
import type { KubeletContext } from './kubelet-context.ts'
import { actionOf } from './probes.ts'

const REASONS = { postStart: 'FailedPostStartHook', preStop: 'FailedPreStopHook' } as const
const TITLES = { postStart: 'PostStartHook', preStop: 'PreStopHook' } as const

export interface Hook {
  kind: 'postStart' | 'preStop'
  handler: LifecycleHandler
  pod: Stored<Pod>
  podIP: string
  record: ContainerRecord
  /** The most it may take. */
  timeoutMs: number
}

/** Runs a hook and tells whether it succeeded; a failure is an event. */
export const runHook = (context: KubeletContext, hook: Hook, done: (ok: boolean) => void): void => {
  const { kind, handler, pod, podIP, record, timeoutMs } = hook
  const { clock, events, runtime } = context
  const where = `${kind} hook of ${record.spec.name} in ${podText(pod)}`
  if (handler.sleep !== undefined) {
    clock.after(Math.min(handler.sleep.seconds * 1000, timeoutMs), () =>
      attempt(context, where, () => done(true)),
    )
    return
  }
  const { tcpSocket: _deprecated, ...supported } = handler
  const action = actionOf(supported, record.spec, podIP)
  if (action === undefined || record.instance === undefined) {
    done(true)
    return
  }
  let isOver = false
  // However the runtime fares, a hook before the stop takes no more than the grace period.
  const limit =
    kind === 'preStop'
      ? clock.after(timeoutMs, () => {
          isOver = true
          attempt(context, where, () => done(false))
        })
      : undefined
  runtime.probe(pod, record.spec, record.instance.id, { kind, action, timeoutMs }, (outcome) => {
    limit?.cancel()
    if (isOver) return
    attempt(context, where, () => {
      const ok = outcome.ok && outcome.value.ok
      if (!ok) events.record(pod, 'Warning', REASONS[kind], `${TITLES[kind]} failed`, fieldPathOf(record))
      done(ok)
    })
  })
}
