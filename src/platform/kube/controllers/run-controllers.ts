/** Runs controllers: watches fill a queue of keys for each controller, and turns of the event loop drain it. */
import type { Clock, Random, Timer } from '#kit'
import { isConflict } from '#platform/kube/meta'
import { type Client, type EventRecorder, systemAccount, type User } from '#platform/kube/ports'
import type { Controller, ControllerContext } from './define-controller.ts'

export interface ControllerHost {
  clock: Clock
  random: Random
  clientFor(user: User, manager: string): Client
  recorderFor(component: string): EventRecorder
  /** Called for every failed reconcile, except for conflicts. The key is retried. */
  onError(controller: string, key: string, error: unknown): void
}

export interface RunningControllers {
  stop(): void
}

/** Keys reconciled per turn of the event loop; small enough for the server to stay responsive. */
const KEYS_PER_TURN = 50
const FIRST_RETRY_MS = 5
const MAX_RETRY_MS = 1_000_000

/** One timer per key; the earliest of several requested times wins. */
const createKeyTimers = (clock: Clock, onDue: (key: string) => void) => {
  const timers = new Map<string, { dueAt: number; timer: Timer }>()
  return {
    set(key: string, milliseconds: number): void {
      const dueAt = clock.now() + Math.max(0, milliseconds)
      const existing = timers.get(key)
      if (existing !== undefined && existing.dueAt <= dueAt) return
      existing?.timer.cancel()
      const timer = clock.after(Math.max(0, milliseconds), () => {
        timers.delete(key)
        onDue(key)
      })
      timers.set(key, { dueAt, timer })
    },
    clear(): void {
      for (const { timer } of timers.values()) timer.cancel()
      timers.clear()
    },
  }
}

const userOf = ({ name, user }: Controller): User =>
  user === undefined
    ? systemAccount(`${name}-controller`)
    : { username: user, groups: ['system:authenticated'] }

const runController = (controller: Controller, host: ControllerHost): (() => void) => {
  const { clock, random } = host
  const queue = new Set<string>()
  const failures = new Map<string, number>()
  let scheduled = false
  let stopped = false

  const reconcile = (key: string): void => {
    try {
      controller.reconcile(key, context)
      failures.delete(key)
    } catch (error) {
      const count = failures.get(key) ?? 0
      failures.set(key, count + 1)
      timers.set(key, Math.min(FIRST_RETRY_MS * 2 ** count, MAX_RETRY_MS))
      if (!isConflict(error)) host.onError(controller.name, key, error)
    }
  }

  const drain = (): void => {
    scheduled = false
    for (let count = 0; count < KEYS_PER_TURN && !stopped; count += 1) {
      const next = queue.values().next()
      if (next.done) return
      queue.delete(next.value)
      reconcile(next.value)
    }
    schedule()
  }

  const schedule = (): void => {
    if (scheduled || stopped || queue.size === 0) return
    scheduled = true
    clock.defer(drain)
  }

  const enqueue = (key: string): void => {
    queue.add(key)
    schedule()
  }

  const timers = createKeyTimers(clock, enqueue)
  const context: ControllerContext = {
    client: host.clientFor(userOf(controller), controller.manager ?? 'kube-controller-manager'),
    clock,
    random,
    events: host.recorderFor(controller.component ?? `${controller.name}-controller`),
    requeue: timers.set,
  }

  const closeWatches = controller.watches.map((watch) => {
    const close = context.client.watch(watch.kind, (event) => {
      for (const key of watch.keys(event, context)) enqueue(key)
    })
    for (const object of context.client.list(watch.kind)) {
      for (const key of watch.keys({ type: 'ADDED', object }, context)) enqueue(key)
    }
    return close
  })
  const stopController = controller.start?.(context)

  return () => {
    stopped = true
    stopController?.()
    for (const close of closeWatches) close()
    timers.clear()
    queue.clear()
  }
}

/** Starts the controllers in order. Each reconciles the existing objects first, then every change. */
export const runControllers = (
  controllers: readonly Controller[],
  host: ControllerHost,
): RunningControllers => {
  const stops = controllers.map((controller) => runController(controller, host))
  return {
    stop() {
      for (const stop of stops) stop()
    },
  }
}
